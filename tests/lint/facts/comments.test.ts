import { describe, expect, it } from 'vitest';
import { findComments } from '../../../src/lint/facts/comments.ts';
import { lineIndex, placeBetween } from '../../../src/protocol/position.ts';

function comments(source: string): string[] {
  const lines = lineIndex(source);
  return findComments(source, lines, (start, end) => placeBetween(lines, start, end)).map(
    ({ text, place }) => {
      expect(source.slice(place.start.offset, place.end.offset)).toBe(`<!--${text}-->`);
      return text;
    },
  );
}

describe('findComments', () => {
  it.each([
    ['a block', '<!-- a -->\n', [' a ']],
    ['a block over lines', '# T\n\n<!-- a\n\nb -->\n', [' a\n\nb ']],
    ['two in one block', '<!-- a --> <!--b-->\n', [' a ', 'b']],
    ['running text', 'Text <!-- a --> and text\nmore <!-- b -->\n', [' a ', ' b ']],
    ['a heading', '## Step <!-- a -->\n', [' a ']],
    ['a list and a quote', '- item <!-- a -->\n\n> <!-- b -->\n', [' a ', ' b ']],
    ['CRLF and a BOM', '\ufeff<!-- a -->\r\n\r\n<!-- b -->\r\n', [' a ', ' b ']],
  ])('finds comments in %s', (_, source, expected) => {
    expect(comments(source)).toEqual(expected);
  });

  it.each([
    ['a fence', '```html\n<!-- a -->\n```\n'],
    ['a fence that is never closed', '```\n<!-- a -->\n'],
    ['an indented block', 'Text\n\n    <!-- a -->\n'],
    ['a code span', 'Write `<!-- a -->` there\n'],
    ['a longer code span', 'Write ``x ` <!-- a -->`` there\n'],
    ['an escaped bracket', 'Write \\<!-- a --> there\n'],
    ['an unclosed comment in text', 'Write <!-- a there\n'],
    ['no comment at all', '# T\n'],
  ])('finds none in %s', (_, source) => {
    expect(comments(source)).toEqual([]);
  });
});
