import { describe, expect, it } from 'vitest';
import { timeline } from '../../../src/cli/views/timeline.ts';
import { type EntryData, type EntryKind, type LedgerEntry, makeEntry } from '../../../src/ledger/entry.ts';

const AT = '2026-01-15T12:00:00.000Z';
const LABELS = ['Look', 'Run it'];

function tell(kind: EntryKind, data: EntryData) {
  const [item] = timeline([makeEntry('run', null, AT, kind, data)], LABELS);
  return item;
}

describe('timeline', () => {
  it('numbers and dates what happened', () => {
    expect(tell('run.begun', { actor: 'ada', face: 'cli', trusted: false })).toEqual({
      seq: 0,
      at: AT,
      text: 'begun by ada (cli), content not trusted',
      details: [],
      bad: false,
    });
  });

  it.each([
    ['claimed', 'the walker says so', 'claimed exit code 0'],
    ['client', 'given at a prompt', 'exit code 0'],
    ['observed', 'kairos ran the command itself', 'exit code 0'],
    ['attested', 'signed by somebody else', 'exit code 0'],
    ['something new', 'the walker says so', 'exit code 0'],
  ])('says what a proof of assurance %s rests on', (assurance, source, detail) => {
    const item = tell('proof.accepted', { step: 2, type: 'shell', assurance, shell: { exit_code: 0 } });
    expect(item).toMatchObject({
      text: `step 2 "Run it" proven: ${source} [${assurance}]`,
      details: [detail],
    });
  });

  it('marks every word of a claim as one', () => {
    const claim = (type: string, proof: EntryData) =>
      tell('proof.accepted', { step: 1, type, assurance: 'claimed', [type]: proof })?.details;
    expect(claim('shell', { exit_code: 0, duration_ms: 1200, stdout: 'all\nwell\n' })).toEqual([
      'claimed exit code 0 after 1.2 s',
      'claimed output:',
      '  all',
      '  well',
    ]);
    expect(claim('mcp', { tool_name: 'look', result_json: '{}' })).toEqual([
      'claimed call of look',
      'claimed result:',
      '  {}',
    ]);
    expect(claim('user_input', { confirmation: 'yes' })).toEqual(['claimed answer:', '  yes']);
  });

  it('leaves out the middle of what is long', () => {
    const text = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
    const details = tell('proof.accepted', {
      step: 1,
      type: 'comment',
      assurance: 'client',
      comment: { text },
    })?.details;
    expect(details).toHaveLength(11);
    expect(details?.slice(4, 7)).toEqual(['line 4', '(20 lines left out)', 'line 25']);
  });

  it('tells failures, waived ones, skips and commands', () => {
    expect([
      tell('proof.rejected', { step: 1, code: 'COMMAND_FAILED', assurance: 'claimed', waived: true }),
      tell('step.skipped', { step: 1, reason: 'not today' }),
      tell('command.started', { step: 2, cmd: 'a\nb', cwd: '/w', env: ['A', 'B'], timeout_seconds: 60 }),
      tell('command.finished', { step: 2, exit_code: null, timed_out: true, duration_ms: 60000 }),
      tell('command.finished', { step: 2, exit_code: null, signal: 'SIGKILL' }),
      tell('command.finished', { step: 2, exit_code: 0, duration_ms: 5 }),
      tell('run.sealed', { outcome: 'failure', message: 'no use' }),
    ]).toMatchObject([
      {
        text: 'step 1 "Look" not proven: COMMAND_FAILED [claimed]',
        details: ['The proof was optional; the run went on without it.'],
        bad: true,
      },
      { text: 'step 1 "Look" skipped', details: ['not today'], bad: false },
      {
        text: 'step 2 "Run it" command started by kairos',
        details: ['a', 'b', 'in /w, timeout 60 s, environment A, B'],
      },
      { text: 'step 2 "Run it" command ended: timed out after 1 min', bad: true },
      { text: 'step 2 "Run it" command ended: killed by SIGKILL', bad: true },
      { text: 'step 2 "Run it" command ended: exit code 0 after 5 ms', bad: false },
      { text: 'sealed with outcome failure', details: ['no use'], bad: true },
    ]);
  });

  it('shows what it does not know as it stands', () => {
    const entry = {
      ...makeEntry('run', null, AT, 'run.begun', { step: 9 }),
      kind: 'odd.kind',
    } as unknown as LedgerEntry;
    expect(timeline([entry], LABELS)).toMatchObject([{ text: 'odd.kind', details: ['{"step":9}'] }]);
    expect(tell('permit.consumed', { step: 7 })).toMatchObject({
      text: 'permit.consumed',
      details: ['{"step":7}'],
    });
  });
});
