import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const durationUnderTimeout: LintRule = {
  id: 'duration-under-timeout',
  family: 'proposal',
  severity: 'info',
  summary: 'A gated command gets the time that its proposal allows.',
  why: 'max_duration_ms caps timeout_seconds. With the smaller number in the proposal, the timeout that a reader sees next to the command is not the one that ends it.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const proof = block.value.proof_of_work;
      const limit = template.time_window?.max_duration_ms;
      if (proof?.type !== 'shell' || limit === undefined || limit < 1000) continue;
      if (limit >= proof.shell.timeout_seconds * 1000) continue;
      context.report({
        place: nearestPlace(context, block, ['proposal', 'time_window', 'max_duration_ms']),
        reason: `max_duration_ms ends the command after ${Math.floor(limit / 1000)} seconds, before its timeout_seconds of ${proof.shell.timeout_seconds}. Write the same time in both.`,
      });
    }
  },
};
