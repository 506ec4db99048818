import { beforeEach, describe, expect, it } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { begin } from '../../src/operations/begin.ts';
import type { Handover, HandoverNote } from '../../src/run/ports.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { as, makeContext, type TestContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { comment, shellBad, startWalk, type Walk } from '../support/walk.ts';

let note: HandoverNote | null;
let writes: number;
let fails: boolean;
let ctx: TestContext;
let walk: Walk;

const handover: Handover = {
  read: async () => note,
  write: async (given) => {
    if (fails) throw new KairosError('HANDOVER_REFUSED', 'no room');
    writes += 1;
    note = structuredClone(given);
  },
  remove: async (runId) => {
    if (note?.runId === runId) note = null;
  },
};

beforeEach(async () => {
  note = null;
  writes = 0;
  fails = false;
  ctx = await makeContext({ caller: { interface: 'mcp', session: 's1' }, over: { handover } });
  walk = await startWalk(ctx, protocolOf(['comment', 'shell', 'comment'], 'Hand me over'));
});

const ACCOUNT = comment('Looked at every part of it from end to end.');
const resume = (other: TestContext) => begin(other, { resume: true }) as Promise<RunFields>;
const refusal = (other: TestContext) =>
  resume(other).then(
    () => 'taken up',
    ({ code, message }: KairosError) => `${code}: ${message}`,
  );

describe('what is handed over', () => {
  it('is the current place of the run, without the nonce, written on every advance', async () => {
    const run = await ctx.store.findRun(walk.runId);
    expect(note).toEqual({
      session: 's1',
      runId: walk.runId,
      chainUri: walk.uris[0],
      stepIndex: 1,
      currentChallenge: expect.objectContaining({
        type: 'comment',
        proof_hash: walk.begun.challenge?.proof_hash,
      }),
      state: {
        space: 'default',
        actor: 'ada',
        digest: run?.digest,
        stepCount: 3,
        passed: 0,
        echo: walk.begun.challenge?.proof_hash,
        proofs: { claimed: 0, client: 0, observed: 0, attested: 0 },
      },
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(note)).not.toContain(walk.begun.challenge!.nonce);
    const after = await walk.solve(1, walk.begun.challenge, ACCOUNT);
    expect(note).toMatchObject({ stepIndex: 2, currentChallenge: { type: 'shell' }, state: { passed: 1 } });
    await walk.solve(2, after.challenge, shellBad);
    await walk.show(2);
    expect(writes).toBe(2);
  });

  it('is removed once the run is sealed, and not before', async () => {
    const other = await startWalk(as(ctx, { session: 's2' }), protocolOf(['none'], 'Another one'));
    expect(note).toMatchObject({ runId: other.runId });
    await walk.attest({ outcome: 'failure' });
    expect(note).toMatchObject({ runId: other.runId });
    await other.attest({ outcome: 'failure' });
    expect(note).toBeNull();
  });

  it('is reported when it cannot be written, and costs no answer', async () => {
    fails = true;
    const answer = await walk.solve(1, walk.begun.challenge, ACCOUNT);
    expect(answer).toMatchObject({
      protocol_status: 'continue',
      challenge: { type: 'shell' },
      message: 'The handover file could not be updated; the run itself is on record.',
    });
    expect(await walk.kinds()).toContain('proof.accepted');
  });
});

describe('resuming it', () => {
  it('continues in another session, which hands it over in turn', async () => {
    await walk.solve(1, walk.begun.challenge, ACCOUNT);
    const other = as(ctx, { session: 's2' });
    const answer = await resume(other);
    expect(answer).toMatchObject({ run_id: walk.runId, challenge: { type: 'shell' } });
    expect(note).toMatchObject({ session: 's2', runId: walk.runId });
    const named = (await begin(as(ctx, { session: 's3' }), {
      uri: walk.uris[0]!,
      resume: true,
    })) as RunFields;
    expect(named.run_id).toBe(walk.runId);
  });

  it('prefers what was handed over to a newer open run', async () => {
    const mine = note;
    await begin(ctx, { uri: walk.uris[0]! });
    note = mine;
    expect(((await begin(ctx, { uri: walk.uris[0]!, resume: true })) as RunFields).run_id).toBe(walk.runId);
  });

  it('has nothing to do with another protocol that is named', async () => {
    const other = await startWalk(ctx, protocolOf(['none'], 'Another one'));
    const answer = (await begin(ctx, { uri: walk.uris[0]!, resume: true })) as RunFields;
    expect(answer.run_id).toBe(walk.runId);
    expect(other.runId).not.toBe(walk.runId);
  });

  it('needs a note, or a name', async () => {
    note = null;
    expect(await refusal(ctx)).toBe('INVALID_INPUT: no run was handed over: uri or key is required');
    const { handover: _, ...without } = ctx;
    expect(await refusal(without as TestContext)).toMatch(/^INVALID_INPUT/);
  });

  it.each<[string, () => Promise<unknown> | unknown, RegExp]>([
    [
      'a run that has moved on',
      async () => {
        const before = structuredClone(note);
        await walk.solve(1, walk.begun.challenge, ACCOUNT);
        note = before;
      },
      /^HANDOVER_REFUSED: the handover of .* is rejected: run \S+ has moved on since$/,
    ],
    [
      'a run that is sealed',
      async () => {
        const before = structuredClone(note);
        await walk.attest({ outcome: 'failure' });
        note = before;
      },
      /: run \S+ is sealed$/,
    ],
    [
      'somebody else',
      () => {
        note!.state.actor = 'bob';
      },
      /: it is about another user's run$/,
    ],
    [
      'another space',
      () => {
        note!.state.space = 'team';
      },
      /: run \S+ is not in this store and space$/,
    ],
    [
      'another store',
      () => {
        note!.runId = 'r404';
      },
      /: run r404 is not in this store and space$/,
    ],
    [
      'other content',
      () => {
        note!.state.digest = 'x';
      },
      /: run \S+ has moved on since$/,
    ],
  ])('refuses %s with the reason', async (_, change, reason) => {
    await change();
    const entries = (await ctx.store.readEntries(walk.runId)).length;
    expect(await refusal(as(ctx, { session: 's2' }))).toMatch(reason);
    expect(await ctx.store.readEntries(walk.runId)).toHaveLength(entries);
  });

  it('is not lost by failed attempts in between', async () => {
    await walk.solve(1, walk.begun.challenge, comment('ok'));
    expect((await resume(as(ctx, { session: 's2' }))).run_id).toBe(walk.runId);
  });
});
