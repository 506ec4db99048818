import { problemRule } from '../problem-rule.ts';
import { blockAround } from './support/blocks.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** `challenge` instead of `proof_of_work`. */
export const legacyChallengeKey = problemRule('legacy-challenge-key', {
  family: 'block',
  severity: 'warning',
  summary: 'A demand is called `proof_of_work`.',
  why: '`challenge` is the older name. It is still read, until a date that STABILITY.md names. What a run shows for a demand is also called challenge, so the old name has two meanings.',
  fixable: 'safe',
  examples: () => [
    {
      title: 'The older name',
      source: chain(
        'Release',
        step('Test', 'Test it.', { challenge: { type: 'comment', comment: { min_length: 40 } } }),
      ),
      findings: [{ line: 8, column: 2 }],
      fixed: chain('Release', step('Test', 'Test it.', commentBlock(40))),
    },
    {
      title: 'In YAML',
      source: chain('Release', step('Test', 'Test it.\n\n```yaml\nchallenge:\n  type: comment\n```')),
      findings: [{ line: 8, column: 1 }],
      fixed: chain('Release', step('Test', 'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n```')),
    },
    {
      title: 'The name of today',
      source: chain('Release', step('Test', 'Test it.', commentBlock(40))),
      findings: [],
    },
  ],
  fix({ place }, context) {
    const { source } = context;
    if (blockAround(context, place) === null) return undefined;
    const range: [number, number] = [place.start.offset, place.end.offset];
    const written = source.slice(...range);
    // Inside quotes an escape may stand for any letter of it.
    const quote = /^["']/.exec(written)?.[0] ?? '';
    return { range, replacement: `${quote}proof_of_work${quote}`, safe: true };
  },
});
