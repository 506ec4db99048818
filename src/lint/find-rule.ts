import { KairosError } from '../base/errors.ts';
import { suggest } from '../base/suggest.ts';
import type { LintRule } from './rule.ts';
import { LINT_RULES } from './rules/index.ts';

/** The rule of an id. Throws USAGE, with a suggestion, for an unknown one. */
export function findRule(id: string): LintRule {
  const rule = LINT_RULES.find((candidate) => candidate.id === id);
  if (rule !== undefined) return rule;
  const meant = suggest(
    id,
    LINT_RULES.map((candidate) => candidate.id),
  );
  throw new KairosError('USAGE', `there is no rule named ${JSON.stringify(id)}`, {
    hint: meant === undefined ? 'The rules are listed in docs/rules/README.md.' : `Did you mean ${meant}?`,
  });
}
