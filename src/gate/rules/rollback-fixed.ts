import { jsonEqual } from '../../proof/json-equal.ts';
import { rollbackOf } from '../effective.ts';
import { isGiven } from '../input.ts';
import type { Rollback } from '../proposal.ts';
import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-115');

/** The rollback is the template's and nobody else's. */
export const rollbackFixed: Rule = {
  code: 'K-PROP-115',
  title: "The rollback is the template's and nobody else's",
  check: (item) => {
    const set = rollbackOf(item);
    if (set !== undefined && !isWhole(set))
      return [found('/rollback_semantics', 'The template names a rollback and does not say what it is.')];
    if (!isGiven(item, 'rollback_semantics')) return [];
    if (set !== undefined && jsonEqual(item.reading.raw?.rollback_semantics, set)) return [];
    return [found('/rollback_semantics', 'It is not the rollback of the template.')];
  },
};

function isWhole({ strategy, command, chain_uri }: Rollback): boolean {
  if (strategy === 'command') return command !== undefined;
  return strategy !== 'chain' || chain_uri !== undefined;
}
