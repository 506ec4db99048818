import { problemRule } from '../rule.ts';
import { blockAround } from './support/blocks.ts';

export const legacyChallengeKey = problemRule('legacy-challenge-key', {
  family: 'block',
  severity: 'warning',
  summary: 'A demand is called `proof_of_work`.',
  why: '`challenge` is the older name. It is still read, until a date that STABILITY.md names. What a run shows for a demand is also called challenge, so the old name has two meanings.',
  fixable: 'safe',
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
