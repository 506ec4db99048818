import { describe, expect, it } from 'vitest';
import { type EntryData, type EntryKind, type LedgerEntry, makeEntry } from '../../src/ledger/entry.ts';
import { timeline } from '../../src/report/timeline.ts';

const AT = '2026-01-15T12:00:00.000Z';
const REVISIONS = [{ labels: ['Look', 'Run it'] }];

function tell(kind: EntryKind, data: EntryData) {
  const [item] = timeline([makeEntry('run', null, AT, kind, data)], REVISIONS);
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

  it("names the author of an entry in another actor's run", () => {
    expect(tell('run.sealed', { outcome: 'success', message: 'Done.', by: 'bob' })).toMatchObject({
      text: 'sealed with outcome success, by bob',
    });
    expect(tell('trust.given', { how: 'asked', by: 'bob' })).toMatchObject({
      text: 'content trusted (after it was shown) by bob',
    });
  });

  it.each([
    ['claimed', 'the agent or user reports', 'claimed exit code 0'],
    ['client', 'given at a prompt', 'exit code 0'],
    ['observed', 'kairos ran the command itself', 'exit code 0'],
    ['attested', 'signed by another person', 'exit code 0'],
    ['something new', 'the agent or user reports', 'exit code 0'],
  ])('explains a proof of assurance %s', (assurance, source, detail) => {
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
    expect(claim('sampling', { result_json: '[1]' })).toEqual(['claimed answer of a model:', '  [1]']);
  });

  it('distinguishes a model from a person, and what kairos read from what was reported', () => {
    const outputs = [
      {
        path: '*.js',
        exists: true,
        checks: ['sha256', 'matches'],
        files: [{ path: 'a.js', size: 3, sha256: 'ab' }],
      },
      { path: 'b', exists: true, checks: [], files: [{ path: 'b', size: 0, sha256: 'cd' }] },
      { path: 'old', exists: false, checks: [], files: [] },
    ];
    const data = { step: 1, type: 'sampling', assurance: 'client', sampling: { result_json: '1' }, outputs };
    expect(tell('proof.accepted', data)).toMatchObject({
      text: 'step 1 "Look" proven: the client let a model answer [client]',
      details: [
        'answer of a model:',
        '  1',
        'kairos read a.js, 3 bytes, sha256 ab; checked: sha256, matches',
        'kairos read b, 0 bytes, sha256 cd',
        'kairos found nothing at old',
      ],
    });
    expect(tell('step.shown', { step: 1, demand: 'sampling' })?.text).toBe(
      'step 1 "Look" shown, demands a model\'s answer',
    );
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

  it('distinguishes failures, waived ones, skips and commands', () => {
    expect([
      tell('proof.rejected', { step: 1, code: 'COMMAND_FAILED', assurance: 'claimed', waived: true }),
      tell('step.skipped', { step: 1, reason: 'not today' }),
      tell('command.started', { step: 2, cmd: 'a\nb', cwd: '/w', env: ['A', 'B'], timeout_seconds: 60 }),
      tell('command.finished', { step: 2, exit_code: null, timed_out: true, duration_ms: 60000 }),
      tell('command.finished', { step: 2, exit_code: null, signal: 'SIGKILL' }),
      tell('command.finished', { step: 2, exit_code: 0, duration_ms: 5 }),
      tell('command.finished', { step: 2, failure: null, duration_ms: 5 }),
      tell('command.finished', { step: 2, failure: 'ended_early', duration_ms: 5 }),
      tell('command.finished', { step: 2, failure: 'timed_out', duration_ms: 5000 }),
      tell('command.finished', { step: 2, error: 'spawn E2BIG' }),
      tell('run.sealed', { outcome: 'failure', message: 'no use' }),
    ]).toMatchObject([
      {
        text: 'step 1 "Look" not proven: COMMAND_FAILED [claimed]',
        details: ['The proof was optional; the run continued without it.'],
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
      { text: 'step 2 "Run it" command ended: the tool answered after 5 ms', bad: false },
      { text: 'step 2 "Run it" command ended: the server ended without an answer after 5 ms', bad: true },
      { text: 'step 2 "Run it" command ended: timed out after 5.0 s', bad: true },
      { text: 'step 2 "Run it" command ended: could not be started: spawn E2BIG', bad: true },
      { text: 'sealed with outcome failure', details: ['no use'], bad: true },
    ]);
  });

  it('shows the values that a proof gave to later steps', () => {
    const data = { step: 2, type: 'shell', shell: { exit_code: 0 }, assurance: 'claimed' };
    expect(
      tell('proof.accepted', { ...data, captures: { PORT: '80' }, secret_captures: ['PIN'] }),
    ).toMatchObject({
      details: ['claimed exit code 0', 'captured PORT:', '  80', 'captured PIN:', '  (secret)'],
    });
  });

  it('shows unknown entries unchanged', () => {
    const entry = {
      ...makeEntry('run', null, AT, 'run.begun', { step: 9 }),
      kind: 'odd.kind',
    } as unknown as LedgerEntry;
    expect(timeline([entry], REVISIONS)).toMatchObject([{ text: 'odd.kind', details: ['{"step":9}'] }]);
    expect(tell('permit.lent' as EntryKind, { step: 7 })).toMatchObject({
      text: 'permit.lent',
      details: ['{"step":7}'],
    });
  });

  it.each<[EntryKind, EntryData, string, string[], boolean]>([
    [
      'proposal.decided',
      {
        step: 2,
        actor: 'agent',
        decision: 'DENY',
        approval_class: 'dual',
        approvals_given: 0,
        approvals_needed: 2,
        proposal_hash: 'a'.repeat(64),
        reasons: [{ code: 'K-PROP-133', pointer: '', message: 'Not so.' }],
        rollback: false,
      },
      'step 2 "Run it" proposed by agent: DENY',
      ['class dual, 0 of 2 approvals, proposal aaaaaaaaaaaa', 'K-PROP-133 Not so.'],
      true,
    ],
    [
      'proposal.decided',
      {
        step: 2,
        actor: 'ada',
        decision: 'ALLOW',
        approval_class: 'none',
        approvals_given: 0,
        approvals_needed: 0,
        proposal_hash: null,
        reasons: [],
        rollback: true,
      },
      'rollback of step 2 "Run it" proposed by ada: ALLOW',
      ['class none, 0 of 0 approvals, proposal null'],
      false,
    ],
    [
      'approval.given',
      { step: 2, decision: 'approve', approver: 'bob', source: 'ssh', proposal_hash: 'b'.repeat(64) },
      'step 2 "Run it" approved by bob (signed)',
      ['proposal bbbbbbbbbbbb'],
      false,
    ],
    [
      'approval.given',
      { step: 2, decision: 'deny', approver: 'bob', source: 'terminal', proposal_hash: 'b'.repeat(64) },
      'step 2 "Run it" denied by bob (at a terminal)',
      ['proposal bbbbbbbbbbbb'],
      true,
    ],
    [
      'permit.consumed',
      { step: 2, permit_id: 'c'.repeat(64), actor: 'agent', env: ['KAIROS_PARAM_A'], rollback: false },
      'step 2 "Run it" permit used by agent',
      ['permit cccccccccccc, environment KAIROS_PARAM_A'],
      false,
    ],
    [
      'permit.consumed',
      { step: 2, permit_id: 'c'.repeat(64), actor: 'ada', env: [], rollback: true, chain_run_id: 'r' },
      'rollback of step 2 "Run it" begun, its permit used by ada',
      ['permit cccccccccccc', 'run as r'],
      false,
    ],
    [
      'command.started',
      { step: 2, cmd: 'undo', cwd: '/w', timeout_seconds: 60, env: [], rollback: true },
      'step 2 "Run it" command of the rollback started by kairos',
      ['undo', 'in /w, timeout 60 s'],
      false,
    ],
    [
      'command.finished',
      { step: 2, exit_code: 1, rollback: true, verify: true },
      'step 2 "Run it" check of the rollback ended: exit code 1',
      [],
      true,
    ],
    [
      'rollback.done',
      {
        step: 2,
        strategy: 'command',
        succeeded: true,
        assurance: 'observed',
        observed: { exit_code: 0, timed_out: false },
        verify: { exit_code: 0, succeeded: true },
        late: true,
      },
      'step 2 "Run it" rolled back by command [observed], after its deadline',
      ['exit code 0', 'verified'],
      true,
    ],
    [
      'rollback.done',
      {
        step: 2,
        strategy: 'manual',
        succeeded: true,
        assurance: 'client',
        observed: { account: 'Put it back.' },
        verify: null,
        late: null,
      },
      'step 2 "Run it" rolled back by manual [client]',
      ['account:', '  Put it back.'],
      false,
    ],
    [
      'rollback.done',
      {
        step: 2,
        strategy: 'chain',
        succeeded: false,
        assurance: 'claimed',
        observed: { chain_run_id: 'r', outcome: 'failure' },
        verify: { exit_code: 3, succeeded: false },
        late: false,
      },
      'step 2 "Run it" not rolled back by chain [claimed]',
      ['run r, outcome failure', 'not verified: exit code 3'],
      true,
    ],
    [
      'trust.given',
      { how: 'flag', by: 'ada', digest: 'd' },
      'content trusted (by its digest) by ada',
      [],
      false,
    ],
  ])('has words for %s', (kind, data, text, details, bad) => {
    expect(tell(kind, data)).toEqual({ seq: 0, at: AT, text, details, bad });
  });

  it('shows what is known of the effects of a proof under a permit', () => {
    const proof = { step: 2, type: 'shell', assurance: 'observed', shell: { exit_code: 0 } };
    const receipt = (effects: string, affected: number | null) =>
      tell('proof.accepted', {
        ...proof,
        receipt: { effects, affected_records: affected, max_affected_records: 1 },
      })?.details.at(-1);
    expect(receipt('unverified', null)).toBe('effects unverified');
    expect(receipt('exceeded', 3)).toBe('effects exceeded: 3 of at most 1');
  });
});
