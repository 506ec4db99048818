import type { ProofFacts, ProofTools } from '../../src/proof/verdict.ts';

export const NO_FACTS: ProofFacts = { stepText: '', previousComment: null };

/** Tools for demands that need none: using them fails the test. */
export const NO_TOOLS: ProofTools = {
  patterns: { usable: unexpected, search: unexpected, capture: unexpected, fullMatch: unexpected },
  schemas: { errors: unexpected },
};

/** A pattern, and a text that its search would need many seconds for. */
export const SLOW = {
  pattern: '[ab]*a[ab]{900}[cd]',
  text: (length: number) => {
    let [seed, text] = [1, ''];
    while (text.length < length) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += seed > 1_073_741_824 ? 'a' : 'b';
    }
    return text;
  },
};

function unexpected(): never {
  throw new Error('this demand needs no tools');
}
