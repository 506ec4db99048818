import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DASHED_TOKEN_PREFIXES,
  TOKEN_PREFIXES,
  tokenRules,
  tokenRulesFor,
} from '../../src/base/token-rules.ts';
import { BASIC_SAMPLES, TOKEN_SAMPLES } from '../host/commands/token-samples.ts';

const SAMPLES = [...TOKEN_SAMPLES, ...BASIC_SAMPLES].flat();

/** Names of the rules that find something, whether or not they were asked. */
const finders = (text: string) => tokenRules().filter(({ whole }) => [...text.matchAll(whole)].length > 0);

describe('tokenRulesFor', () => {
  it('names every rule that finds something', () => {
    const piece = fc.oneof(
      fc.constantFrom(...SAMPLES),
      fc.string({ maxLength: 6 }),
      fc.constantFrom('_', '-', 'AUTHORIZATION: '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        expect(tokenRulesFor(text)).toEqual(expect.arrayContaining(finders(text)));
      }),
    );
  });

  it('keeps the order of the rules', () => {
    const all = tokenRulesFor(SAMPLES.join('\n'));
    expect(all).toEqual(tokenRules().filter((rule) => all.includes(rule)));
    expect(all.length).toBeGreaterThan(20);
  });

  it('finds a token of every kept prefix', () => {
    const tail = 'Ab3dEf6hIj9lMn2pQr5t';
    for (const prefix of [...TOKEN_PREFIXES, ...DASHED_TOKEN_PREFIXES])
      expect(finders(`use ${prefix}${tail} now`), prefix).not.toEqual([]);
    for (const prefix of DASHED_TOKEN_PREFIXES)
      expect(finders(`${prefix}Ab3dEf-6hIj9l_Mn2pQr5t`)).not.toEqual([]);
  });

  it('names none for plain text', () => {
    expect(tokenRulesFor('Restart the service, then look at the log.')).toEqual([]);
  });
});
