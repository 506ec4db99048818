import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../src/ledger/entry.ts';
import { attest } from '../../src/operations/attest.ts';
import { next } from '../../src/operations/next.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { replay } from '../../src/run/evolve.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { as, makeContext } from '../support/context.ts';
import { ALL_KINDS, protocolOf, type StepKind } from '../support/protocols.ts';
import { runs } from '../support/thorough.ts';
import { comment, shellBad, shellOk, startWalk, type Walk } from '../support/walk.ts';
import { rightAnswer, wrongAnswer } from '../support/walker.ts';

const kinds = fc.array(fc.constantFrom(...ALL_KINDS), { minLength: 1, maxLength: 4 });

/** What a ledger tells, without what differs from run to run. */
function story(entries: LedgerEntry[]): unknown[] {
  return entries.map(({ kind, data }) => ({
    kind,
    step: data.step,
    station: data.station,
    code: data.code,
    counted: data.counted,
    outcome: data.outcome,
  }));
}

/** Does one more call of a literal walk; `wrong` hands in a wrong answer where one is asked for. */
async function advance(walk: Walk, answer: RunFields, call: number, wrong: boolean): Promise<RunFields> {
  if (answer.protocol_status === 'completed') return walk.attest();
  const step = walk.uris.indexOf(answer.current_step!.uri) + 1;
  if (answer.challenge == null) return walk.show(step);
  const payload = wrong ? wrongAnswer(answer.challenge) : rightAnswer(answer.challenge, call);
  return walk.solve(step, answer.challenge, payload);
}

describe('runs never mix', () => {
  it('in any interleaving, each ledger equals the one of its run alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        kinds,
        fc.array(fc.array(fc.boolean(), { maxLength: 3 }), { minLength: 2, maxLength: 3 }),
        fc.infiniteStream(fc.nat()),
        async (steps, mistakes, schedule) => {
          const ctx = await makeContext();
          const document = protocolOf(steps);
          const together = await play(
            ctx,
            document,
            mistakes,
            (open) => open[schedule.next().value! % open.length]!,
          );
          const alone = await play(await makeContext(), document, mistakes, (open) => open[0]!);
          expect(together).toEqual(alone);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  async function play(
    ctx: Awaited<ReturnType<typeof makeContext>>,
    document: string,
    mistakes: boolean[][],
    pick: (open: number[]) => number,
  ) {
    const walks = [];
    for (const _ of mistakes) walks.push(await startWalk(ctx, document));
    const answers = walks.map(({ begun }) => begun);
    const calls = walks.map(() => 0);
    for (;;) {
      const open = walks.map((_, at) => at).filter((at) => answers[at]!.next_action !== null);
      if (open.length === 0) break;
      const at = pick(open);
      const wrong = mistakes[at]![calls[at]!] === true;
      answers[at] = await advance(walks[at]!, answers[at]!, calls[at]!, wrong);
      calls[at]! += 1;
    }
    return Promise.all(walks.map(async ({ runId }) => story(await ctx.store.readEntries(runId))));
  }

  it("never accepts another run's nonce, and spends none of it", async () => {
    const ctx = await makeContext();
    const mine = await startWalk(ctx, protocolOf(['shell', 'none']));
    const other = await startWalk(ctx, protocolOf(['shell', 'none']));
    expect(await mine.solve(1, other.begun.challenge, shellOk)).toMatchObject({
      error_code: 'NONCE_MISMATCH',
    });
    expect((await other.solve(1, other.begun.challenge, shellOk)).error_code).toBeUndefined();
  });
});

describe('bad solutions', () => {
  const text = fc.string({ maxLength: 12 });
  const bad = fc.oneof(
    fc.anything({ maxDepth: 2 }).map((payload) => ({ payload: payload as object, bind: false })),
    fc.record({
      payload: fc.constantFrom<object>(shellBad, comment('ok'), { type: 'shell' }, {}),
      bind: fc.boolean(),
    }),
    fc.record({
      payload: fc.record({ type: text, nonce: text, proof_hash: text, shell: fc.object({ maxDepth: 1 }) }),
      bind: fc.constant(false),
    }),
  );

  it('of any kind and number never advance a run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bad, { minLength: 1, maxLength: 8 }), async (tries) => {
        const ctx = await makeContext();
        const walk = await startWalk(ctx, protocolOf(['shell', 'shell', 'none']));
        let { challenge } = walk.begun;
        for (const { payload, bind } of tries) {
          const answer = bind
            ? await walk.solve(1, challenge, payload)
            : await next(ctx, { uri: walk.uris[0]!, run_id: walk.runId, solution: payload });
          expect(answer.current_step?.uri).toBe(walk.uris[0]);
          expect(answer.next_action).not.toBeNull();
          challenge = answer.challenge;
        }
        const entries = await ctx.store.readEntries(walk.runId);
        expect(entries.filter(({ kind }) => kind === 'proof.accepted')).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('a repeated call', () => {
  it('after a lost answer is harmless at every place of every run', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(fc.boolean(), { maxLength: 4 }), async (steps, mistakes) => {
        const ctx = await makeContext();
        const walk = await startWalk(ctx, protocolOf(steps));
        let answer = walk.begun;
        for (let call = 0; answer.next_action !== null; call += 1) {
          const before = answer;
          answer = await advance(walk, before, call, mistakes[call] === true);
          const proofs = await accepted(ctx, walk);
          const again = await advance(walk, before, call, mistakes[call] === true);
          expect(await accepted(ctx, walk)).toEqual(proofs);
          expect(again.retry_count ?? 0).toBeLessThanOrEqual(answer.retry_count ?? 0);
          // The newer answer's challenge is as good as the lost one's.
          if (again.next_action !== null) answer = again;
        }
      }),
      { numRuns: runs(60) },
    );
  });

  async function accepted(ctx: Awaited<ReturnType<typeof makeContext>>, walk: Walk): Promise<string[]> {
    const entries = await ctx.store.readEntries(walk.runId);
    return entries.filter(({ kind }) => kind === 'proof.accepted').map(({ hash }) => hash);
  }
});

describe('two writers on one run', () => {
  it.each([
    ['a nonce of their own', false],
    ['one nonce', true],
  ])('at the same moment, with %s: one proof, the rest CONFLICT, no retry used up', async (_, shared) => {
    const ctx = await makeContext();
    const walk = await startWalk(ctx, protocolOf(['shell', 'shell', 'none']));
    const challenges = [];
    for (let writer = 0; writer < 8; writer += 1)
      challenges.push(shared ? walk.begun.challenge : (await walk.show(1)).challenge);
    const answers = await Promise.all(
      challenges.map((challenge, writer) =>
        walk.solve(1, challenge, { type: 'shell', shell: { exit_code: 0, stdout: `writer ${writer}` } }),
      ),
    );
    const codes = answers.map(({ error_code }) => error_code ?? 'ok').sort();
    expect(codes).toEqual([...Array(7).fill('CONFLICT'), 'ok']);
    expect(answers.map(({ retry_count }) => retry_count ?? 0)).toEqual(Array(8).fill(0));
    const { state } = (await loadRun(ctx, walk.runId))!;
    expect({ at: state.at, retries: state.retries, proofs: state.proofs.length }).toEqual({
      at: 1,
      retries: 0,
      proofs: 1,
    });
  });

  it('with separate nonces never use up the retries of each other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ writer: fc.nat(1), right: fc.boolean() }), { maxLength: 12 }),
        async (moves) => {
          const ctx = await makeContext();
          const walk = await startWalk(ctx, protocolOf(['shell', 'shell', 'shell', 'none']));
          const seen = [walk.begun, await walk.show(1)];
          for (const { writer, right } of moves) {
            const before = (await loadRun(ctx, walk.runId))!.state;
            const mine = seen[writer]!;
            const step = walk.uris.indexOf(mine.current_step!.uri) + 1;
            if (before.stations[before.at]?.kind === 'closing') break;
            const answer = await walk.solve(step, mine.challenge, right ? shellOk : shellBad);
            const after = (await loadRun(ctx, walk.runId))!.state;
            if (step !== before.stations[before.at]!.step) {
              // The other one was faster: that costs nobody a retry.
              expect(answer.error_code).toBe('CONFLICT');
              expect({ at: after.at, retries: after.retries }).toEqual({
                at: before.at,
                retries: before.retries,
              });
            }
            seen[writer] = answer;
          }
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('a stranger', () => {
  it('who has only URIs gets no nonce and cannot seal', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, async (steps) => {
        const ctx = await makeContext();
        const walk = await startWalk(ctx, protocolOf(steps));
        const stranger = as(ctx, { actor: 'mallory', session: 'elsewhere' });
        for (const uri of walk.uris) {
          for (const solution of [
            undefined,
            shellOk,
            { ...shellOk, nonce: 'f'.repeat(32), proof_hash: 'x' },
          ]) {
            const answer = await next(stranger, { uri, solution });
            expect(answer).toMatchObject({ error_code: 'RUN_NOT_FOUND' });
            expect(answer.challenge).toBeUndefined();
          }
          const sealed = await attest(stranger, {
            uri,
            outcome: 'failure',
            message: 'Closing what is not mine.',
          });
          expect(sealed).toMatchObject({ error_code: 'RUN_NOT_FOUND' });
        }
        expect(await ctx.store.readSeal(walk.runId)).toBeNull();
      }),
      { numRuns: runs(25) },
    );
  });
});

describe('every prefix of a ledger', () => {
  it('is a readable run that can reach its end', async () => {
    await fc.assert(
      fc.asyncProperty(
        kinds,
        fc.array(fc.boolean(), { maxLength: 3 }),
        async (steps: StepKind[], mistakes) => {
          const ctx = await makeContext();
          const walk = await startWalk(ctx, protocolOf(steps));
          let answer = walk.begun;
          for (let call = 0; answer.next_action !== null; call += 1) {
            answer = await advance(walk, answer, call, mistakes[call] === true);
          }
          const entries = await ctx.store.readEntries(walk.runId);
          const { revision } = (await loadRun(ctx, walk.runId))!;
          for (let length = 1; length < entries.length; length += 1) {
            const prefix = entries.slice(0, length);
            const state = replay(revision.content, prefix);
            expect(state.sealed).toBeNull();
            expect(state.tip).toEqual({ seq: length - 1, hash: prefix.at(-1)!.hash, at: prefix.at(-1)!.at });
            const crashed = await makeContext();
            await startWalk(crashed, protocolOf(steps));
            await crashed.store.createRun(walk.runId, 2, prefix);
            await finish(crashed, walk);
          }
        },
      ),
      { numRuns: runs(12) },
    );
  });

  async function finish(ctx: Awaited<ReturnType<typeof makeContext>>, walk: Walk): Promise<void> {
    let answer = await next(ctx, { uri: walk.uris[0]!, run_id: walk.runId });
    for (let call = 0; call < 12; call += 1) {
      if (answer.next_action === null) return;
      if (
        answer.protocol_status === 'completed' ||
        (answer.challenge == null && answer.current_step === null)
      ) {
        answer = await attest(ctx, {
          uri: walk.uris[0]!,
          run_id: walk.runId,
          outcome: 'success',
          message: 'Went on after the crash and saw it through.',
        });
        continue;
      }
      const solution =
        answer.challenge == null
          ? undefined
          : {
              ...rightAnswer(answer.challenge, 100 + call),
              nonce: answer.challenge.nonce,
              proof_hash: answer.challenge.proof_hash,
            };
      answer = await next(ctx, { uri: answer.current_step!.uri, run_id: walk.runId, solution });
    }
    throw new Error(`no end: ${JSON.stringify(answer)}`);
  }
});
