import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { ALL_KINDS, protocolOf, type StepKind, sequences } from '../support/protocols.ts';
import { casesOf, runs, THOROUGH } from '../support/thorough.ts';
import { rightAnswer, type Tools, type WalkOptions, walkLiterally, wrongAnswer } from '../support/walker.ts';

const ALL = sequences(THOROUGH ? 4 : 2);

describe('an agent that only follows next_action', () => {
  for (const convention of ['as-told', 'pending'] as const) {
    it(`finishes every sequence of a few steps (${convention})`, async () => {
      const ctx = await makeContext();
      for (const kinds of ALL) {
        const { answers } = await walk(ctx, kinds, { convention, solve: rightAnswer });
        expectFinished(kinds, answers, 0);
      }
    });

    it(`recovers from one wrong answer at any place (${convention})`, async () => {
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

describe('with every kind of step', () => {
  const solve = (wrong: number | null): WalkOptions['solve'] => {
    return (challenge, call) => (call === wrong ? wrongAnswer(challenge) : rightAnswer(challenge, call));
  };

  it('it finishes every sequence of two, with any fault', async () => {
    const ctx = await makeContext();
    for (const kinds of casesOf(sequences(2, ALL_KINDS))) {
      for (let wrong = -1; wrong < demands(kinds); wrong += 1) {
        const convention = wrong % 2 === 0 ? 'pending' : 'as-told';
        const { answers } = await walk(ctx, kinds, { convention, solve: solve(wrong) });
        expectFinished(kinds, answers, wrong === -1 ? 0 : 1);
      }
    }
  });

  it('it finishes longer ones', async () => {
    const ctx = await makeContext();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ALL_KINDS), { minLength: 3, maxLength: 6 }),
        fc.constantFrom('as-told' as const, 'pending' as const),
        fc.nat(12),
        async (kinds, convention, wrong) => {
          const { answers } = await walk(ctx, kinds, { convention, solve: solve(wrong) });
          expectFinished(kinds, answers, wrong < demands(kinds) ? 1 : 0);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});

/**
 * How many solutions a sequence asks for: a first step without block needs none, a last one only the closing; one that
 * asks a model and then a person, two.
 */
function demands(kinds: StepKind[]): number {
  const asking = kinds.filter((kind, at) => kind !== 'none' || (at > 0 && at < kinds.length - 1));
  return asking.length + kinds.filter((kind) => kind === 'sampling_then').length;
}

function expectFinished(kinds: StepKind[], answers: RunFields[], failures: number): void {
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
  return walkLiterally(toolsOf(ctx), await minted(ctx, protocolOf(kinds)), options);
}

/** What each store has last minted: walks of one protocol, one after the other, mint it once. */
const heads = new WeakMap<TestContext, { document: string; uri: string }>();

async function minted(ctx: TestContext, document: string): Promise<string> {
  const head = heads.get(ctx);
  if (head?.document === document) return head.uri;
  const { items } = await mint(ctx, { markdown_doc: document, force_update: true });
  const { uri } = items[0]!;
  heads.set(ctx, { document, uri });
  return uri;
}

function toolsOf(ctx: TestContext): Tools {
  return {
    begin: async (input) => (await begin(ctx, input)) as RunFields,
    next: (input) => next(ctx, input),
    attest: (input) => attest(ctx, input as Parameters<typeof attest>[1]),
  };
}
