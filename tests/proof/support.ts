import type { ProofFacts, ProofTools } from '../../src/proof/verdict.ts';

export const NO_FACTS: ProofFacts = { stepText: '', previousComment: null };

/** Tools for demands that need none: using them fails the test. */
export const NO_TOOLS: ProofTools = {
  patterns: { usable: unexpected, search: unexpected, capture: unexpected, fullMatch: unexpected },
  schemas: { errors: unexpected },
};

function unexpected(): never {
  throw new Error('this demand needs no tools');
}
