import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../src/ledger/entry.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { openStore } from '../../src/store/open.ts';
import {
  entriesOf,
  guardedDocument,
  mintTrusted,
  resumeGuarded,
  runGuarded,
  timesRun,
  writePolicy,
} from '../gate/support/cli.ts';
import { atGuard, serveExecuting, serveToGuard } from '../gate/support/served.ts';
import { type CliHome, kairos, kairosJson, makeHome, startKairos } from '../support/cli.ts';
import { answersFile, protocolFile } from '../support/run.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

/** Leaves its line at once and then takes its time, so that a kill finds it at work. */
const SLOW = 'echo ran >> done.txt && sleep 1.5';
/** After so long it has ended by itself, in milliseconds. */
const SLOW_MS = 1800;

/** Kills a process in the instant at which the store holds what is waited for; answers what it held then. */
async function killWhen(
  kill: () => void,
  sees: (entries: readonly LedgerEntry[]) => boolean,
): Promise<LedgerEntry[]> {
  const store = await openStore({ location: join(home.data, 'kairos.db'), dataDir: home.data });
  try {
    for (let tries = 0; tries < 20_000; tries += 1) {
      const [run] = await store.findRuns({ spaces: ['default'], limit: 1 });
      const entries = run === undefined ? [] : await store.readEntries(run.runId);
      if (sees(entries)) {
        kill();
        return entries;
      }
      await delay(1);
    }
    throw new Error('what was waited for never came');
  } finally {
    await store.close();
  }
}

const has = (kind: string) => (entries: readonly LedgerEntry[]) =>
  entries.some((entry) => entry.kind === kind && entry.data.step === 2);
const used = (entries: readonly LedgerEntry[]) => entries.filter(({ kind }) => kind === 'permit.consumed');

/** What holds after any death between a permit's use and a verdict, and what it takes to go on. */
async function expectInDoubt(runId: string, uri: string): Promise<void> {
  const entries = await entriesOf(home, runId);
  expect(used(entries)).toHaveLength(1);
  const ran = timesRun(home);
  const started = has('command.started')(entries);
  const [shown] = (await kairosJson(home, ['runs', 'show', runId])).objects as [Record<string, unknown>];
  if (started) expect(shown.in_doubt).toMatchObject({ step: 2 });
  else expect(shown.permit_in_doubt).toMatchObject({ step: 2, permit_id: used(entries)[0]!.data.permit_id });
  expect((await kairos(home, ['runs', 'show', runId])).stdout).toContain('Unknown outcome:');

  // The permit shows nothing a second time, and the proposal that it came from is refused.
  const again = (await kairosJson(home, ['next', uri, '--run', runId])).objects[0] as unknown as RunFields;
  expect(again).toMatchObject({ error_code: 'PROPOSAL_REQUIRED', challenge: { type: 'proposal' } });
  expect(again.message).toContain('its outcome is unknown');
  const [decided] = entries.filter(({ kind }) => kind === 'proposal.decided');
  const resubmitted = await kairosJson(home, ['proposal', 'submit', runId, '-'], {
    stdin: String(decided!.data.proposal_json),
  });
  expect(resubmitted.objects[0]).toMatchObject({
    decision: 'DENY',
    reasons: [{ code: 'K-PROP-110', pointer: '/proposal_id' }],
  });
  expect(timesRun(home)).toBe(ran);
  expect(used(await entriesOf(home, runId))).toHaveLength(1);
}

describe('SIGKILL between the use of a permit and its effect', () => {
  it.each([
    ['before the command is started', 'permit.consumed'],
    ['while the command runs', 'command.started'],
  ])(
    'leaves kairos run with an unknown outcome when it comes %s: nothing is repeated without a question',
    async (_, kind) => {
      const { path, digest } = await protocolFile(home, guardedDocument({}, SLOW));
      const answers = answersFile(home, { '2.proposal': '{}', closing: 'Moved it and saw the light go on.' });
      const child = startKairos(home, ['run', path, '--trust', digest, '--answers', answers, '--json']);
      const died = new Promise((resolve) => child.once('exit', resolve));
      const [begun] = await killWhen(() => child.kill('SIGKILL'), has(kind));
      await died;
      await delay(SLOW_MS); // a command that was running ends by itself
      const runId = begun!.run_id;
      const uri = String(
        (
          (await kairosJson(home, ['runs', 'show', runId])).objects[0] as { entries: LedgerEntry[] }
        ).entries.findLast((entry) => entry.kind === 'step.shown')!.data.uri,
      );
      // An answers file is no person: it does not have the step done a second time.
      const ran = timesRun(home);
      const resumed = await resumeGuarded(home, runId, digest);
      expect(resumed.code).toBe(3);
      expect(resumed.objects.find(({ event }) => event === 'questions')).toMatchObject({
        questions: [{ id: '2.again' }],
      });
      expect(timesRun(home)).toBe(ran);
      await expectInDoubt(runId, uri);
    },
  );

  it('leaves serve --execute with an unknown outcome: another server runs nothing of it, and it needs a new proposal', async () => {
    const { server, client, guard } = await serveToGuard(home, guardedDocument({}, SLOW), 'sdk-2');
    const { uri, run_id, draft } = guard;
    expect((await guard.propose(draft)).decision).toBe('ALLOW');
    const lost = guard.next().catch((error: Error) => error);
    await killWhen(() => server.signal('SIGKILL'), has('permit.consumed'));
    await lost;
    await client.close().catch(() => undefined);
    await delay(SLOW_MS);
    const ran = timesRun(home);
    expect(ran).toBeLessThanOrEqual(1);

    const second = await serveExecuting(home, 'sdk-1');
    const other = atGuard(second.client, uri, run_id);
    const again = await other.next();
    expect(again).toMatchObject({ error_code: 'PROPOSAL_REQUIRED', challenge: { type: 'proposal' } });
    expect(again.message).toContain('its outcome is unknown');
    const denied = await other.propose(draft);
    expect(denied).toMatchObject({ decision: 'DENY', reasons: [{ code: 'K-PROP-110' }] });
    expect(timesRun(home)).toBe(ran);
    const renewed = await other.propose(again.challenge!.proposal_draft);
    expect(renewed.decision).toBe('ALLOW');
    expect(used(await entriesOf(home, run_id))).toHaveLength(1);
    await second.close();
  });

  it('leaves a rollback with an unknown outcome: it is shown so, and not begun again without a person', async () => {
    const document = guardedDocument(
      { rollback_semantics: { strategy: 'command', command: 'echo undone >> undone.txt && sleep 5' } },
      'test -e never.txt',
    );
    const { runId, trust } = await runGuarded(home, document);
    const child = startKairos(home, ['rollback', runId, '2', '--trust', trust, '--yes']);
    const died = new Promise((resolve) => child.once('exit', resolve));
    await killWhen(
      () => child.kill('SIGKILL'),
      (entries) => entries.some(({ kind, data }) => kind === 'command.started' && data.rollback === true),
    );
    await died;
    const [shown] = (await kairosJson(home, ['runs', 'show', runId])).objects;
    expect(shown).toMatchObject({
      rollback_in_doubt: { step: 2, cmd: 'echo undone >> undone.txt && sleep 5' },
    });
    const before = await entriesOf(home, runId);
    const again = await kairosJson(home, ['rollback', runId, '2', '--trust', trust, '--yes']);
    expect(again.code).toBe(3);
    expect(again.objects.find(({ event }) => event === 'questions')).toMatchObject({
      questions: [{ id: '2.doubt' }],
    });
    expect((await entriesOf(home, runId)).slice(before.length).map(({ kind }) => kind)).toEqual([
      'trust.given',
    ]);
  });
});

it('of 50 parallel processes exactly one gets what a permit shows', async () => {
  const uri = await mintTrusted(home, guardedDocument({ preconditions: [] }, SLOW), 'move-the-switch');
  writePolicy(home, { rules: [{ match: { action_types: ['write'] }, evidence_optional: true }] });
  const { run_id, challenge } = (await kairosJson(home, ['begin', uri])).objects[0] as unknown as RunFields;
  const { nonce, proof_hash } = challenge!;
  const solution = JSON.stringify({ type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } });
  const shown = (await kairosJson(home, ['next', uri, '--run', run_id!, '--solution', solution]))
    .objects[0] as unknown as RunFields;
  const step = shown.current_step!.uri;
  const draft = JSON.stringify(shown.challenge!.proposal_draft);
  const allowed = await kairosJson(home, ['proposal', 'submit', run_id!, '-'], { stdin: draft });
  expect(allowed.objects[0]).toMatchObject({ decision: 'ALLOW' });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      kairosJson(home, ['next', step, '--run', run_id!], { timeoutMs: 240_000 }),
    ),
  );
  expect(answers.filter(({ stdout }) => stdout.includes(SLOW))).toHaveLength(1);
  expect(answers.map(({ code }) => code).sort()).toEqual([0, ...Array(49).fill(1)]);
  expect(used(await entriesOf(home, run_id!))).toHaveLength(1);
});
