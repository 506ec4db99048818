import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detached } from '../../src/base/escape.ts';

test('A detached text is the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(detached(text)).toBe(text);
    }),
  );
});
