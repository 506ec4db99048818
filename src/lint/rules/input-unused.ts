import { referencesIn } from '../../protocol/inputs.ts';
import type { LintRule, RuleContext } from '../rule.ts';
import { frontmatterKey } from './support/blocks.ts';

export const inputUnused: LintRule = {
  id: 'input-unused',
  family: 'frontmatter',
  severity: 'warning',
  summary: 'A step uses each input.',
  why: 'People and agents are asked for every input. If no command and no text uses an input, the question is useless, or the name is misspelt where it is used.',
  check(context) {
    const { frontmatter } = context.document;
    const names = Object.keys(frontmatter?.inputs ?? {});
    if (frontmatter === null || names.length === 0) return;
    const used = usedNames(context);
    for (const name of names) {
      if (used.some((text) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text))) continue;
      context.report({
        place: frontmatterKey(context, frontmatter, 'inputs'),
        reason: `No step uses the input ${name}. Use it as "$${name}" in a command or {{${name}}} in a text, or remove it.`,
      });
    }
  },
};

/** Every text of the steps that may name an input: references of bodies, and blocks as a whole. */
function usedNames({ steps }: RuleContext): string[] {
  return steps.flatMap(({ step: { body, block } }) => [
    ...referencesIn(body),
    ...(block === null ? [] : [JSON.stringify(block.value)]),
  ]);
}
