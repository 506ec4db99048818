import { describe, expect, it } from 'vitest';
import { isClearMatch } from '../../src/search/classify.ts';

const exact = (score: number) => ({
  score,
  match: 'exact' as const,
  matchLead: { strength: Number.POSITIVE_INFINITY, lead: 0.2, otherTask: false },
});
const other = (strength: number, lead: number | null) => ({
  score: 0.5,
  match: 'lexical' as const,
  matchLead: { strength, lead, otherTask: false },
});

describe('standsClear', () => {
  it.each([
    ['nothing', [], false],
    ['a name alone', [exact(1)], true],
    ['a name among words and triggers', [exact(1), exact(0.98), other(5, 0.2)], true],
    ['two of one name', [exact(1), exact(1)], false],
    ['a trigger among words', [exact(0.98), other(5, 0.2)], true],
    ['two of one trigger', [exact(0.98), exact(0.98)], false],
    ['evidence that carries the subject, alone', [other(0.5, 0.2)], true],
    ['evidence that does not, alone', [other(3, null)], false],
    ['evidence far ahead', [other(1.5, 0.4), other(1, 0.2)], true],
    ['evidence side by side', [other(1.5, 0.4), other(1.2, null)], false],
  ])('%s', (_, hits, expected) => {
    expect(isClearMatch(hits)).toBe(expected);
  });
});
