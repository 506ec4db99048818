import type { LintRule } from '../rule.ts';
import { keyPlaceOf } from './support/written.ts';

export const samplingWithShell: LintRule = {
  id: 'sampling-with-shell',
  family: 'block',
  severity: 'error',
  summary: 'A step asks a model or runs a command, not both.',
  why: 'Such a step asks for two things under one title: the model’s answer first, then the command. A reader sees only one of them, and text that a model wrote must not be where a command is proven.',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block?.value.sampling === undefined || block.value.proof_of_work?.type !== 'shell') continue;
      context.report({
        place: keyPlaceOf(context, block, ['sampling']),
        reason:
          'This step asks a model and runs a command, one after the other under one title. Make two steps of it.',
      });
    }
  },
};
