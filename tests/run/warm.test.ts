import fc from 'fast-check';
import { expect, test } from 'vitest';
import { next } from '../../src/operations/next.ts';
import { loadRun } from '../../src/operations/run/transact.ts';
import { replay } from '../../src/run/evolve.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { runs } from '../support/thorough.ts';
import { shellBad, shellOk, startWalk } from '../support/walk.ts';

test('a call on a run that is known reads none of its entries, however many there are', async () => {
  const ctx = await makeContext();
  const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
  let challenge = walk.begun.challenge;
  let read = 0;
  const { readEntries } = ctx.store;
  ctx.store.readEntries = async (...call) => {
    const entries = await readEntries(...call);
    read += entries.length;
    return entries;
  };
  await walk.show(1);
  read = 0;
  for (let at = 0; at < 40; at += 1) {
    const loud = { ...shellBad, shell: { ...shellBad.shell, stdout: 'x'.repeat(20_000) } };
    const answer = await walk.solve(1, challenge, loud);
    challenge = answer.challenge;
  }
  expect(read).toBe(0);
  expect(await walk.solve(1, challenge, shellOk)).toMatchObject({ protocol_status: 'completed' });
});

test('the cached state is the fold of the ledger, after any attempts on it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('wrong', 'stray', 'right', 'twice', 'ask'), { maxLength: 12 }),
      async (tries) => {
        const ctx = await makeContext();
        const walk = await startWalk(ctx, protocolOf(['shell', 'shell', 'comment', 'shell']));
        let challenge = walk.begun.challenge;
        for (const attempt of tries) {
          if (challenge == null) break;
          const payload = attempt === 'right' || attempt === 'twice' ? shellOk : shellBad;
          const solution = { ...payload, nonce: challenge.nonce, proof_hash: challenge.proof_hash };
          const call = { uri: walk.uris[0]!, run_id: walk.runId };
          const answers = await Promise.all(
            attempt === 'ask'
              ? [next(ctx, call)]
              : attempt === 'stray'
                ? [next(ctx, { ...call, solution: { ...solution, nonce: '0'.repeat(32) } })]
                : attempt === 'twice'
                  ? [next(ctx, { ...call, solution }), next(ctx, { ...call, solution }), next(ctx, call)]
                  : [next(ctx, { ...call, solution })],
          );
          challenge = answers.at(-1)!.challenge ?? challenge;
          const { state, revision } = (await loadRun(ctx, walk.runId))!;
          const folded = replay(revision.content, await ctx.store.readEntries(walk.runId));
          const { nonces, ...rest } = state;
          const { nonces: foldedNonces, ...foldedRest } = folded;
          expect(rest).toEqual(foldedRest);
          expect(nonces.newest()).toEqual(foldedNonces.newest());
          expect(nonces.valid(state.at).map((nonce) => nonces.spentBy(nonce))).toEqual(
            foldedNonces.valid(folded.at).map((nonce) => foldedNonces.spentBy(nonce)),
          );
        }
      },
    ),
    { numRuns: runs(40) },
  );
});
