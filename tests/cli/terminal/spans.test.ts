import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { type Span, wrapSpans } from '../../../src/cli/terminal/spans.ts';
import { runs } from '../../support/thorough.ts';

const plain = (text: string) => text;
const bold = (text: string) => `<${text}>`;
const set = (spans: Span[], width: number) => wrapSpans(spans, width, stringWidth);

it('breaks at spaces, keeps words whole across styles, and joins what has one style', () => {
  const spans = [
    { text: 'one two  th', style: plain },
    { text: 'ree four', style: bold },
    { text: ' five', style: plain },
  ];
  expect(set(spans, 9)).toEqual(['one two', 'th<ree>', '<four> five']);
  expect(set(spans, 80)).toEqual(['one two th<ree four> five']);
});

it('breaks at line breaks, and breaks words that fit no line', () => {
  expect(set([{ text: 'a\nb\n\nc', style: plain }], 80)).toEqual(['a', 'b', '', 'c']);
  expect(set([{ text: 'x abcdefgh y', style: plain }], 3)).toEqual(['x', 'abc', 'def', 'gh', 'y']);
  expect(set([{ text: '日本語', style: plain }], 4)).toEqual(['日本', '語']);
  expect(set([], 4)).toEqual(['']);
});

it('sets any text in lines that fit, without losing or adding anything but white space', () => {
  const span = fc.record({
    text: fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '語', 'é', '\t', '👍') }),
    style: fc.constant(plain),
  });
  fc.assert(
    fc.property(fc.array(span), fc.integer({ min: 2, max: 20 }), (spans, width) => {
      const lines = set(spans, width);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      const bare = (text: string) => text.replace(/\s/g, '');
      expect(bare(lines.join(''))).toBe(bare(spans.map(({ text }) => text).join('')));
    }),
    { numRuns: runs(300) },
  );
});
