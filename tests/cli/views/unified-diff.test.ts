import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../src/cli/views/diff.ts';
import { runs } from '../../support/thorough.ts';

describe('unifiedDiff', () => {
  it.each([
    ['nothing', 'a\n', 'a\n', ''],
    ['a changed line', 'a\nb\nc\n', 'a\nB\nc\n', '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'],
    ['a first text', '', 'a\n', '--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n'],
    ['an emptied text', 'a\n', '', '--- a/x\n+++ b/x\n@@ -1,1 +0,0 @@\n-a\n'],
    [
      'a missing line break at the end',
      'a\nb',
      'a\nc',
      '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n',
    ],
    [
      'an added line break at the end',
      'a',
      'a\n',
      '--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n',
    ],
    [
      'two places far apart',
      '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      'x\n2\n3\n4\n5\n6\n7\n8\ny\n',
      '--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n',
    ],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n'],
  ])('shows %s', (_, before, after, expected) => {
    expect(unifiedDiff('x', before, after)).toBe(expected);
  });

  it('replaces a text with more changes than it searches for, and git applies it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kairos-diff-'));
    const text = (word: string, end: string) =>
      Array.from({ length: 1200 }, (_, at) => `${word} ${at}`).join('\n') + end;
    try {
      for (const [before, after] of [
        [text('old', '\n'), text('new', '')],
        [text('old', ''), text('new', '\n')],
      ]) {
        writeFileSync(join(folder, 'x'), before!);
        const input = unifiedDiff('x', before!, after!);
        expect(input).toContain('@@ -1,1200 +1,1200 @@\n-old 0\n');
        execFileSync('git', ['apply', '-'], { cwd: folder, input });
        expect(readFileSync(join(folder, 'x'), 'utf8')).toBe(after);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('can be applied by git', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kairos-diff-'));
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '-- x', '@@'), { maxLength: 25 })
      .chain((lines) => fc.constantFrom('', '\n').map((end) => lines.join('\n') + end));
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          const diff = unifiedDiff('x', before, after);
          expect(diff === '').toBe(before === after);
          if (diff === '') return;
          writeFileSync(join(folder, 'x'), before);
          execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: diff });
          expect(readFileSync(join(folder, 'x'), 'utf8')).toBe(after);
        }),
        { numRuns: runs(60) },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.skipIf(process.platform === 'win32').each(['a b', 'a"b', 'a\\b', 'a\tb', 'a\nb', '\u0001\u007f', 'ü'])(
    'names the file for git: %j',
    (name) => {
      const folder = mkdtempSync(join(tmpdir(), 'kairos-diff-'));
      try {
        writeFileSync(join(folder, name), 'a\n');
        execFileSync('git', ['apply', '-'], { cwd: folder, input: unifiedDiff(name, 'a\n', 'b\n') });
        expect(readFileSync(join(folder, name), 'utf8')).toBe('b\n');
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
