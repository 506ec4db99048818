import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, sha256Hex } from '../../src/base/canonical.ts';
import { type EntryData, makeEntry } from '../../src/ledger/entry.ts';
import { stepsOf } from '../../src/report/steps.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext } from '../support/context.ts';
import { pageLine, pageSteps } from '../support/page-script.ts';
import { ALL_KINDS, protocolOf } from '../support/protocols.ts';
import { runs } from '../support/thorough.ts';
import { startWalk, type Walk } from '../support/walk.ts';
import { rightAnswer, wrongAnswer } from '../support/walker.ts';

type Move = 'right' | 'wrong' | 'close' | 'give up';

async function move(walk: Walk, answer: RunFields, call: number, what: Move): Promise<RunFields> {
  if (what === 'close') return walk.attest();
  if (what === 'give up') return walk.attest({ outcome: 'failure', message: 'It was given up.' });
  if (answer.protocol_status === 'completed') return walk.attest();
  const step = walk.uris.indexOf(answer.current_step?.uri ?? walk.uris[0]!) + 1;
  if (answer.challenge == null) return walk.show(step);
  const payload = what === 'wrong' ? wrongAnswer(answer.challenge) : rightAnswer(answer.challenge, call);
  return walk.solve(step, answer.challenge, payload);
}

describe("the check of a report's page", () => {
  it('finds the states that the report shows, in every run', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ALL_KINDS), { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom<Move>('right', 'right', 'right', 'wrong', 'close', 'give up'), {
          maxLength: 9,
        }),
        async (kinds, moves) => {
          const ctx = await makeContext();
          const walk = await startWalk(ctx, protocolOf(kinds));
          let answer: RunFields = walk.begun;
          for (const [call, what] of moves.entries()) {
            answer = await move(walk, answer, call, what);
            if (answer.next_action === null) break;
          }
          const entries = await ctx.store.readEntries(walk.runId);
          const sealed = entries.some(({ kind }) => kind === 'run.sealed');
          const found = pageSteps(entries, sealed).map(({ state, assurance }) => ({ state, assurance }));
          expect(found).toEqual(stepsOf(entries, null).map(({ state, assurance }) => ({ state, assurance })));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('names an entry with another text of the protocol than its digest names', async () => {
    const faultOf = async (data: EntryData) => {
      const entry = makeEntry('r1', null, '2026-01-15T12:00:00.000Z', 'run.begun', data);
      return (await pageLine(canonical(entry))).fault;
    };
    const text = canonical({ title: 'Sweep' });
    expect(await faultOf({ digest: sha256Hex(text) })).toBeNull();
    expect(await faultOf({ digest: sha256Hex(text), content_json: text })).toBeNull();
    expect(await faultOf({ digest: sha256Hex(text), content_json: `${text} ` })).toBe(
      'contains another text of the protocol than its digest names',
    );
  });
});
