import { parseMemUri } from '../../protocol/identity.ts';
import type { ProposalTemplate } from '../../protocol/schema.ts';
import type { LintRule } from '../rule.ts';
import { gatedSteps, nearestPlace } from './support/written.ts';

export const rollbackIncomplete: LintRule = {
  id: 'rollback-incomplete',
  family: 'proposal',
  severity: 'error',
  summary: 'A rollback defines what it runs.',
  why: "The rollback is needed when something has just gone wrong. If it names a command or a chain but doesn't define it, the gate denies the proposal before anything is done.",
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const found = fault(template.rollback_semantics);
      if (found === null) continue;
      const [key, reason] = found;
      context.report({
        place: nearestPlace(context, block, ['proposal', 'rollback_semantics', key]),
        reason,
      });
    }
  },
};

function fault(rollback: ProposalTemplate['rollback_semantics']): [key: string, reason: string] | null {
  if (rollback?.strategy === 'command' && rollback.command === undefined)
    return [
      'strategy',
      'The strategy is command, but no command is given, so every proposal is denied. Add "command".',
    ];
  if (rollback?.strategy !== 'chain') return null;
  const { chain_uri: uri } = rollback;
  if (uri === undefined)
    return [
      'strategy',
      'The rollback is a chain, but none is named, so every proposal is denied. Add "chain_uri".',
    ];
  return parseMemUri(uri) === null
    ? [
        'chain_uri',
        `${JSON.stringify(uri)} is not an address of a chain, so there is nothing to roll back with. Write kairos://mem/ and its UUID.`,
      ]
    : null;
}
