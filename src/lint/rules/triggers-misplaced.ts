import type { LintRule } from '../rule.ts';

export const triggersMisplaced: LintRule = {
  id: 'triggers-misplaced',
  family: 'document',
  severity: 'warning',
  summary: 'The triggers are before the first step.',
  why: 'They are about the chain, not a step of it. A reader needs to know before the first step when the protocol applies, and reads a section in the middle as a step.',
  check(context) {
    for (const { triggers, steps } of context.document.chains) {
      if (triggers === null) continue;
      const before = steps.findLast(({ place }) => place.start.offset < triggers.place.start.offset);
      if (before === undefined) continue;
      context.report({
        place: triggers.place,
        reason: `The Natural Language Triggers are after step ${before.index}. Move them before the first step.`,
      });
    }
  },
};
