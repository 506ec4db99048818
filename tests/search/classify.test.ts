import { describe, expect, it } from 'vitest';
import { standsClear } from '../../src/search/classify.ts';

const exact = (score: number) => ({ score, match: 'exact' as const });
const lexical = (score: number) => ({ score, match: 'lexical' as const });

describe('standsClear', () => {
  it.each([
    ['nothing', [], false],
    ['a name alone', [exact(1)], true],
    ['a name among words and triggers', [exact(1), exact(0.98), lexical(0.9)], true],
    ['two of one name', [exact(1), exact(1)], false],
    ['a trigger among words', [exact(0.98), lexical(0.9)], true],
    ['two of one trigger', [exact(0.98), exact(0.98)], false],
    ['words that fit well, alone', [lexical(0.55)], true],
    ['words that fit badly, alone', [lexical(0.5)], false],
    ['words far ahead', [lexical(0.8), lexical(0.6)], true],
    ['words side by side', [lexical(0.8), lexical(0.7)], false],
  ])('%s: %j is %s', (_, hits, expected) => {
    expect(standsClear(hits)).toBe(expected);
  });
});
