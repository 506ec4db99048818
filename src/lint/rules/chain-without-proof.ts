import { hasProblem, type LintRule } from '../rule.ts';

export const chainWithoutProof: LintRule = {
  id: 'chain-without-proof',
  family: 'proof',
  severity: 'warning',
  summary: 'At least one step of a chain demands a proof.',
  why: 'Without a step block every step is passed with a comment of ten characters. The ledger of such a run shows only that a person clicked through it, as a checklist would.',
  check(context) {
    for (const { title, titlePlace, place, steps } of context.document.chains) {
      if (steps.length === 0 || steps.some(({ block }) => block !== null) || hasProblem(context, place))
        continue;
      context.report({
        place: titlePlace,
        reason: `No step of ${JSON.stringify(title)} demands a proof. End the steps that matter with a json block that contains a proof_of_work.`,
      });
    }
  },
};
