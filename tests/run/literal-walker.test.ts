import { describe, expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import type { WalkFields } from '../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { protocolOf, type StepKind, sequences } from '../support/protocols.ts';
import { rightAnswer, type Tools, type WalkOptions, walkLiterally, wrongAnswer } from '../support/walker.ts';

const ALL = sequences(4);

describe('a walker that only follows next_action', () => {
  for (const convention of ['as-told', 'pending'] as const) {
    it(`finishes every sequence of up to four steps (${convention})`, { timeout: 120_000 }, async () => {
      const ctx = await makeContext();
      for (const kinds of ALL) {
        const { answers } = await walk(ctx, kinds, { convention, solve: rightAnswer });
        expectFinished(kinds, answers, 0);
      }
    });

    it(`recovers from one wrong answer at any place (${convention})`, { timeout: 240_000 }, async () => {
      const ctx = await makeContext();
      for (const kinds of ALL) {
        for (let wrong = 0; wrong < demands(kinds); wrong += 1) {
          const { answers } = await walk(ctx, kinds, {
            convention,
            solve: (challenge, call) =>
              call === wrong ? wrongAnswer(challenge) : rightAnswer(challenge, call),
          });
          expectFinished(kinds, answers, 1);
        }
      }
    });
  }
});

/** How many solutions a sequence asks for: a first step without block needs none, a last one only the closing. */
function demands(kinds: StepKind[]): number {
  return kinds.filter((kind, at) => kind !== 'none' || (at > 0 && at < kinds.length - 1)).length;
}

function expectFinished(kinds: StepKind[], answers: WalkFields[], failures: number): void {
  const last = answers.at(-1)!;
  expect({ kinds, status: last.protocol_status, next: last.next_action, error: last.error_code }).toEqual({
    kinds,
    status: 'completed',
    next: null,
    error: undefined,
  });
  expect({ kinds, errors: answers.filter((answer) => answer.error_code !== undefined).length }).toEqual({
    kinds,
    errors: failures,
  });
  // begin, one call for each solution (the wrong one included), perhaps one to leave a first step that needs
  // nothing, attest: no call is wasted.
  const leave = kinds[0] === 'none' && kinds.length > 1 ? 1 : 0;
  expect({ kinds, calls: answers.length }).toEqual({ kinds, calls: 2 + leave + demands(kinds) + failures });
}

async function walk(ctx: TestContext, kinds: StepKind[], options: WalkOptions) {
  const { items } = await mint(ctx, { markdown_doc: protocolOf(kinds), force_update: true });
  return walkLiterally(toolsOf(ctx), items[0]!.uri, options);
}

function toolsOf(ctx: TestContext): Tools {
  return {
    begin: async (input) => (await begin(ctx, input)) as WalkFields,
    next: (input) => next(ctx, input),
    attest: (input) => attest(ctx, input as Parameters<typeof attest>[1]),
  };
}
