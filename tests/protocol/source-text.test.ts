import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSource, decodeSource } from '../../src/protocol/position.ts';

const bytes = (...parts: (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));
const told = (result: ReturnType<typeof decodeSource>) =>
  'problem' in result ? [result.problem.code, result.problem.args, result.problem.place.start] : result;

describe('decodeSource', () => {
  it('keeps a BOM and all UTF-8 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const source = `\ufeff${text.replaceAll('\0', '')}\ufffd`;
        expect(decodeSource(Buffer.from(source))).toEqual({ source });
      }),
    );
  });

  it.each<[string, Uint8Array, number, number, number]>([
    ['a lone byte', bytes('ab\nc', 0xff, 'd'), 2, 2, 4],
    ['a cut character', bytes('é', 0xe2, 0x82), 1, 2, 1],
    ['an overlong one', bytes(0xc0, 0x80), 1, 1, 0],
    ['a surrogate', bytes('\ufffd', 0xed, 0xa0, 0x80), 1, 2, 1],
    ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 1, 1, 0],
  ])('returns the place of %s', (_, data, line, column, offset) => {
    expect(told(decodeSource(data))).toEqual([
      'document-invalid-text',
      { what: 'utf-8' },
      { line, column, offset },
    ]);
  });

  it('refuses NUL', () => {
    expect(told(decodeSource(bytes('a\n', 0)))).toEqual([
      'document-invalid-text',
      { what: 'nul' },
      { line: 2, column: 1, offset: 2 },
    ]);
  });

  it('reads 1 MiB and not a byte more', () => {
    expect(decodeSource(new Uint8Array(1_048_576).fill(97))).toEqual({ source: 'a'.repeat(1_048_576) });
    expect(told(decodeSource(new Uint8Array(1_048_577).fill(97)))).toEqual([
      'document-too-large',
      { what: 'bytes', size: 1_048_577, limit: 1_048_576 },
      { line: 1, column: 1, offset: 0 },
    ]);
  });
});

describe('checkSource', () => {
  it('counts bytes of UTF-8, not characters', () => {
    expect(checkSource('ä'.repeat(524_288))).toBeNull();
    expect(checkSource(`${'ä'.repeat(524_288)}a`)).toMatchObject({
      code: 'document-too-large',
      args: { size: 1_048_577 },
    });
  });

  it.each(['\ud800', 'a\udc00b', '😀\ude00'])('refuses %j', (text) => {
    expect(checkSource(text)).toMatchObject({ code: 'document-invalid-text', args: { what: 'surrogate' } });
  });

  it('accepts every well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => text.includes('\0') || checkSource(text) === null),
    );
  });
});
