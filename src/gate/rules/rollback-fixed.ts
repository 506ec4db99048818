import { jsonEqual } from '../../proof/json-equal.ts';
import { rollbackOf } from '../effective.ts';
import type { Rollback } from '../proposal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-115');

/** The rollback is the template's and nobody else's. */
export const rollbackFixed: Rule = {
  code: 'K-PROP-115',
  title: "The rollback is the template's and nobody else's",
  check: (item) => {
    const given = item.fields.rollback_semantics;
    const own = rollbackOf(item);
    if (own !== undefined && !isWhole(own))
      return [found('/rollback_semantics', 'The template names a rollback and does not say what it is.')];
    if (given === undefined || (own !== undefined && jsonEqual(given, own))) return [];
    return [found('/rollback_semantics', 'It is not the rollback of the template.')];
  },
};

function isWhole({ strategy, command, chain_uri }: Rollback): boolean {
  if (strategy === 'command') return command !== undefined;
  return strategy !== 'chain' || chain_uri !== undefined;
}
