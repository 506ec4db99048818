import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellQuote } from '../../src/base/command-line.ts';
import { runs } from '../support/thorough.ts';

describe('shellQuote', () => {
  it.each([
    ['kairos://mem/0a1b', 'kairos://mem/0a1b'],
    ['--run', '--run'],
    ['two words', "'two words'"],
    ["it's", String.raw`'it'\''s'`],
    ['$(rm -rf /)', "'$(rm -rf /)'"],
    ['', "''"],
  ])('%j', (word, quoted) => {
    expect(shellQuote(word)).toBe(quoted);
  });

  it.skipIf(process.platform === 'win32')('comes back from a shell as it went in', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0')),
          { maxLength: 5 },
        ),
        (words) => {
          const script = `printf '%s\\0' ${words.map(shellQuote).join(' ')}`;
          const out = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
          expect(out.split('\0').slice(0, -1)).toEqual(words.length === 0 ? [''] : words);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
