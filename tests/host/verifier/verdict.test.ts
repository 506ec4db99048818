import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readVerdict } from '../../../src/host/verifier/openai-compatible.ts';

describe('readVerdict', () => {
  it('accepts exactly the two verdicts', () => {
    expect(readVerdict('{"verdict":"accept","reason":"fine"}')).toEqual({ verdict: null });
    expect(readVerdict(' {"reason":"No vowels.","verdict":"refuse"}\n')).toEqual({
      verdict: { refused: 'No vowels.' },
    });
  });

  it.each([
    '',
    'accept',
    'null',
    '[]',
    '"accept"',
    '{"verdict":"accept"}',
    '{"verdict":"accept","reason":null}',
    '{"verdict":"accept","reason":"x","more":1}',
    '{"verdict":"ACCEPT","reason":"x"}',
    '{"verdict":true,"reason":"x"}',
    '```json\n{"verdict":"accept","reason":"x"}\n```',
    'Sure! {"verdict":"accept","reason":"x"}',
  ])('rejects everything else: %j', (text) => {
    expect(readVerdict(text)).toBeNull();
  });

  it('accepts nothing by accident', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readVerdict(text)).toBeNull();
      }),
    );
  });

  it('keeps a reason to one short line in which nothing is hidden', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (reason) => {
        const read = readVerdict(JSON.stringify({ verdict: 'refuse', reason }));
        const said = read?.verdict?.refused ?? '';
        expect(said).not.toBe('');
        expect([...said].length).toBeLessThanOrEqual(501);
        expect(said).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\n\r\u2028]/u);
      }),
    );
    expect(readVerdict(JSON.stringify({ verdict: 'refuse', reason: '\u202e\x1b[2J ' }))).toEqual({
      verdict: { refused: '[2J' },
    });
  });
});
