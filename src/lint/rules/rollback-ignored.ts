import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const rollbackIgnored: LintRule = {
  id: 'rollback-ignored',
  family: 'proposal',
  severity: 'warning',
  summary: 'What a rollback gives is what its strategy uses.',
  why: 'A command with the strategy "manual" looks like a rollback that kairos would offer. kairos never offers it, because only the strategy decides.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const { rollback_semantics: given } = template;
      if (given === undefined) continue;
      for (const [key, strategy] of OWNERS) {
        if (given[key] === undefined || given.strategy === strategy) continue;
        context.report({
          place: nearestPlace(context, block, ['proposal', 'rollback_semantics', key]),
          reason: `With the strategy "${given.strategy}" this is never used. Write "strategy": "${strategy}", or remove it.`,
        });
      }
    }
  },
};

const OWNERS = [
  ['command', 'command'],
  ['chain_uri', 'chain'],
] as const;
