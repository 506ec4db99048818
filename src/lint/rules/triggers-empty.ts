import type { LintRule } from '../rule.ts';

export const triggersEmpty: LintRule = {
  id: 'triggers-empty',
  family: 'document',
  severity: 'warning',
  summary: 'The triggers of a chain are phrases, one to a line.',
  why: 'Search reads this section. Without a phrase in it, search finds the protocol only by its title.',
  check(context) {
    for (const { triggers } of context.document.chains) {
      if (triggers === null || hasWords(triggers.markdown)) continue;
      context.report({
        place: triggers.place,
        reason:
          'The Natural Language Triggers contain no phrase. List what people would type when they need this protocol, one phrase a line, or remove the section.',
      });
    }
  },
};

function hasWords(markdown: string): boolean {
  return /[\p{L}\p{N}]/u.test(markdown.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));
}
