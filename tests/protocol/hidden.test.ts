import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenCharacters } from '../../src/protocol/hidden.ts';

const BIDI_CONTROLS = [
  0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
];

describe('hiddenCharacters', () => {
  it('finds every Bidi_Control of Unicode, marks among them, where it stands', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BIDI_CONTROLS), fc.stringMatching(/^[a-z ]{0,20}$/), (point, before) => {
        const text = `${before}${String.fromCodePoint(point)}tail`;
        const column = before.length + 1;
        expect(hiddenCharacters(text)).toMatchObject([
          {
            codePoint: `U+${point.toString(16).toUpperCase().padStart(4, '0')}`,
            place: { start: { line: 1, column }, end: { line: 1, column: column + 1 } },
          },
        ]);
      }),
    );
  });

  it('leaves alone text written from right to left, which needs no mark', () => {
    expect(hiddenCharacters('# שלום\n\n## مرحبا\n')).toEqual([]);
  });
});
