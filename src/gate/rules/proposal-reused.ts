import { proposalHash } from '../hashes.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-110');

/** A proposal_id names one content, and a proposal is used once. */
export const proposalReused: Rule = {
  code: 'K-PROP-110',
  title: 'A proposal_id names one content, and a proposal is used once',
  check: ({ fields: { proposal_id: id }, reading, past, guarded }) => {
    if (id === undefined || reading.value === null) return [];
    const hash = proposalHash(reading.value);
    const same = past.filter(({ proposalId }) => proposalId === id);
    // Whatever came later under this id was refused for it, and takes nothing from the first.
    const [first] = same;
    const isThis =
      first?.hash === hash &&
      first.step === guarded.step &&
      // Undoing a step is another thing than doing it, whatever the words: who approves the one does not approve the other.
      first.rollback === (guarded.undoes !== undefined);
    if (first !== undefined && !isThis)
      return [found('/proposal_id', 'Another proposal of this run has it already.')];
    return first?.used === true
      ? [found('/proposal_id', 'This proposal has been used; what is to be tried again is proposed anew.')]
      : [];
  },
};
