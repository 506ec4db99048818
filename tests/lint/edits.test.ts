import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, originOf } from '../../src/lint/fix.ts';
import type { Fix } from '../../src/lint/message.ts';

const edit = (start: number, end: number, replacement: string): Fix => ({
  range: [start, end],
  replacement,
  safe: true,
});

describe('applyEdits', () => {
  it.each([
    ['nothing', 'abc', [], { text: 'abc', count: 0 }],
    ['edits in any order', 'abcdef', [edit(4, 5, 'X'), edit(0, 1, '')], { text: 'bcdXf', count: 2 }],
    ['an insertion', 'abc', [edit(1, 1, '-')], { text: 'a-bc', count: 1 }],
    ['the same edit twice', 'abc', [edit(1, 2, 'X'), edit(1, 2, 'X')], { text: 'aXc', count: 1 }],
    ['the first of two that overlap', 'abcd', [edit(1, 4, 'Y'), edit(0, 2, 'X')], { text: 'Xcd', count: 1 }],
    ['the first of two that touch', 'abcd', [edit(0, 2, 'X'), edit(2, 3, 'Y')], { text: 'Xcd', count: 1 }],
    ['none that changes nothing', 'abcd', [edit(0, 2, 'ab'), edit(1, 3, 'Y')], { text: 'aYd', count: 1 }],
    ['behind a BOM', '\ufeffabc', [edit(0, 0, 'X')], { text: '\ufeffXabc', count: 1 }],
    ['with the line breaks of CRLF', 'a\r\nb', [edit(0, 1, 'x\ny')], { text: 'x\r\ny\r\nb', count: 1 }],
    ['with the line breaks of CR', 'a\rb', [edit(2, 3, 'x\ny')], { text: 'a\rx\ry', count: 1 }],
    ['with those of its line', 'a\r\nb\nc', [edit(3, 4, '1\n2')], { text: 'a\r\n1\n2\nc', count: 1 }],
    ['on the last line with those before', 'a\r\nb', [edit(4, 4, '\nc')], { text: 'a\r\nb\r\nc', count: 1 }],
    ['within CRLF', 'a\r\nb', [edit(2, 2, '\n')], { text: 'a\r\r\n\nb', count: 1 }],
  ])('makes %s', (_, source, edits, expected) => {
    expect(applyEdits(source, edits)).toMatchObject(expected);
  });

  it.each([
    [-1, 2],
    [2, 1],
    [0, 4],
    [Number.NaN, 1],
  ])('refuses the range %d..%d', (start, end) => {
    expect(() => applyEdits('abc', [edit(start, end, 'x')])).toThrow(RangeError);
  });

  const source = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '😀', '\ufeff'), maxLength: 30 });
  const edits = (text: string) =>
    fc.array(
      fc
        .tuple(fc.nat(text.length), fc.nat(text.length), fc.constantFrom('', 'x', 'y\nz', 'a'))
        .map(([a, b, replacement]) => edit(Math.min(a, b), Math.max(a, b), replacement)),
      { maxLength: 8 },
    );

  it('accepts edits in any order', () => {
    fc.assert(
      fc.property(
        source.chain((text) => fc.tuple(fc.constant(text), edits(text), fc.nat())),
        ([text, list, turn]) => {
          const turned = [
            ...list.slice(turn % (list.length + 1)),
            ...list.slice(0, turn % (list.length + 1)),
          ];
          expect(applyEdits(text, turned)).toEqual(applyEdits(text, list));
          expect(applyEdits(text, [...list].reverse())).toEqual(applyEdits(text, list));
        },
      ),
    );
  });

  it('returns the origin of each place of the new text', () => {
    fc.assert(
      fc.property(
        source.chain((text) => fc.tuple(fc.constant(text), edits(text))),
        ([text, list]) => {
          const { text: result, made } = applyEdits(text, list);
          for (let at = 0; at < result.length; at += 1) {
            const [start, end] = originOf(made, at);
            const isPutIn = made.some((edit) => edit.start === start && edit.end === end && edit.length > 0);
            if (!isPutIn) expect([end, text[start]]).toEqual([start + 1, result[at]]);
          }
          const origins = Array.from(result, (_, at) => originOf(made, at)[0]);
          expect(origins).toEqual(origins.toSorted((a, b) => a - b));
          expect(originOf(made, result.length)[0]).toBe(text.length);
        },
      ),
    );
  });

  it('leaves everything outside of the ranges unchanged, and a BOM in front', () => {
    fc.assert(
      fc.property(
        source.chain((text) => fc.tuple(fc.constant(text), edits(text))),
        ([text, list]) => {
          const { text: result } = applyEdits(text, list);
          const covered = new Set(
            list.flatMap(({ range: [a, b] }) => Array.from({ length: b - a }, (_, at) => a + at)),
          );
          const kept =
            [...text].length === 0
              ? ''
              : text
                  .split('')
                  .filter((_, at) => !covered.has(at))
                  .join('');
          expect(isSubsequence(kept, result)).toBe(true);
          expect(result.startsWith('\ufeff')).toBe(text.startsWith('\ufeff') || result.startsWith('\ufeff'));
          if (text.startsWith('\ufeff')) expect(result.startsWith('\ufeff')).toBe(true);
        },
      ),
    );
  });

  it('applies separate edits independently', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('', 'a', 'bc'), fc.constantFrom('', 'X', 'YZ')), { maxLength: 6 }),
        (pairs) => {
          let text = '';
          let expected = '';
          const list: Fix[] = [];
          for (const [before, after] of pairs) {
            text += '|';
            expected += '|';
            list.push(edit(text.length, text.length + before.length, after));
            text += `${before}|`;
            expected += `${after}|`;
          }
          expect(applyEdits(text, list).text).toBe(expected);
        },
      ),
    );
  });
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (let i = 0; i < whole.length && at < part.length; i += 1) if (whole[i] === part[at]) at += 1;
  return at === part.length;
}
