import { KairosError } from '../base/errors.ts';
import { suggest } from '../base/suggest.ts';
import type { Rule } from './rule.ts';
import { RULES } from './rules/index.ts';

/** The rule of an id. Throws USAGE, with a suggestion, for an unknown one. */
export function findRule(id: string): Rule {
  const rule = RULES.find((candidate) => candidate.id === id);
  if (rule !== undefined) return rule;
  const meant = suggest(
    id,
    RULES.map((candidate) => candidate.id),
  );
  throw new KairosError('USAGE', `there is no rule named ${JSON.stringify(id)}`, {
    hint: meant === undefined ? 'The rules are listed in docs/rules/README.md.' : `Did you mean ${meant}?`,
  });
}
