import { expect, it } from 'vitest';
import { measureFor } from '../../../src/cli/terminal/layout.ts';

it('measures what a terminal shows, colours and marks aside', async () => {
  const ascii = await measureFor(['plain']);
  expect(ascii('plain')).toBe(5);
  const widthOf = await measureFor(['漢字']);
  expect(['', 'plain', '漢字', 'e\u0301', '👨‍👩‍👧', '\x1b[31mred\x1b[0m'].map(widthOf)).toEqual([
    0, 5, 4, 1, 2, 3,
  ]);
});

it('measures long texts as the sum of what they are made of, and comes to an end', async () => {
  const widthOf = await measureFor(['漢字']);
  expect(widthOf('漢字e\u0301👨‍👩‍👧'.repeat(1_000))).toBe(7_000);
  expect(widthOf(`\x1b[31m${'漢'.repeat(10_000)}\x1b[0m`)).toBe(20_000);
});
