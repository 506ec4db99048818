import { beforeEach, describe, expect, it } from 'vitest';
import { toLines } from '../../src/ledger/line.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { next } from '../../src/operations/next.ts';
import { resumeRun } from '../../src/operations/resume.ts';
import { as, makeContext, type TestContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { shellBad, shellOk, startWalk, type Walk } from '../support/walk.ts';

const ACCOUNT = 'Went through it all and wrote down what came of it.';

let alice: TestContext;
let bob: TestContext;
let walk: Walk;
beforeEach(async () => {
  alice = await makeContext({ caller: { actor: 'alice', session: 's1', interface: 'mcp' } });
  bob = as(alice, { actor: 'bob', session: 's2' });
  walk = await startWalk(alice, protocolOf(['shell', 'comment'], 'Two parts'));
});

/** Kind and named writer of each entry. */
async function writers(): Promise<string[]> {
  const entries = await alice.store.readEntries(walk.runId);
  return entries.map(({ kind, data }) => `${kind} ${data.by ?? data.actor ?? '-'}`);
}

describe('a run with entries of another actor', () => {
  it('names who wrote each entry where that was not the one it is of', async () => {
    const call = { uri: walk.uris[0]!, run_id: walk.runId };
    const shown = await next(bob, call);
    const failed = await walk.solve(1, shown.challenge, shellBad, bob);
    const second = await walk.solve(1, failed.challenge, shellOk);
    await walk.solve(
      2,
      second.challenge,
      { type: 'comment', comment: { text: 'Read all of the log, twice.' } },
      bob,
    );
    await attest(bob, { ...call, outcome: 'success', message: ACCOUNT });
    expect(await writers()).toEqual([
      'run.begun alice',
      'step.shown -',
      'step.shown bob',
      'proof.rejected bob',
      'step.shown bob',
      'proof.accepted -',
      'step.shown -',
      'proof.accepted bob',
      'step.shown bob',
      'proof.accepted bob',
      'run.sealed bob',
    ]);
  });

  it('verifies, and its entries contain nothing new', async () => {
    const call = { uri: walk.uris[0]!, run_id: walk.runId };
    await resumeRun(bob, walk.runId);
    await attest(bob, { ...call, outcome: 'failure', message: ACCOUNT });
    const [entries, seal] = [
      await alice.store.readEntries(walk.runId),
      await alice.store.readSeal(walk.runId),
    ];
    const { status, findings } = verifyEntries(entries, seal);
    expect(status).toBe('whole');
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(toLines(entries, seal)).toHaveLength(entries.length + 1);
    expect(entries[2]).toMatchObject({ kind: 'run.resumed', data: { by: 'bob', session: 's2' } });
  });
});

describe('a run that one actor continues from another session', () => {
  it('names the other session only in its entry', async () => {
    const later = as(alice, { session: 's9', interface: 'cli' });
    await begin(later, { uri: walk.uris[0]!, resume: true });
    const shown = await next(later, { uri: walk.uris[0]!, run_id: walk.runId });
    await walk.solve(1, shown.challenge, shellOk, later);
    await attest(later, { uri: walk.uris[0]!, run_id: walk.runId, outcome: 'failure', message: ACCOUNT });
    expect((await writers()).filter((line) => !line.endsWith(' -'))).toEqual([
      'run.begun alice',
      'run.resumed alice',
    ]);
  });
});
