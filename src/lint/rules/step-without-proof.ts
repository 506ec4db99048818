import { hasProblem, type LintRule } from '../rule.ts';

export const stepWithoutProof: LintRule = {
  id: 'step-without-proof',
  family: 'proof',
  severity: 'info',
  summary: 'A step after the first should define what shows that it was done.',
  why: "A step without a step block is proven by any comment of ten characters, which shows that something was written, not that the work was done. Use a command, a tool or a person's answer where possible. The first step needs no proof, and the closing comment covers the last one.",
  check(context) {
    // When no step has any, chain-without-proof reports it once.
    const proving = new Set(context.steps.flatMap(({ chain, step }) => (step.block === null ? [] : [chain])));
    for (const { chain, step } of context.steps) {
      const isBetween = step.index > 1 && step.index < chain.steps.length;
      if (!isBetween || step.block !== null || !proving.has(chain)) continue;
      if (hasProblem(context, step.place)) continue;
      context.report({
        place: step.labelPlace,
        reason: `Step ${step.index}, ${JSON.stringify(step.label)}, does not demand a proof. End it with a json block that contains a proof_of_work.`,
      });
    }
  },
};
