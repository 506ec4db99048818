import { misplacedHiddenInProse } from '../../protocol/hidden.ts';
import type { LintRule } from '../rule.ts';

export const invisibleInText: LintRule = {
  id: 'invisible-in-text',
  family: 'safety',
  severity: 'warning',
  summary: 'Headings, texts and frontmatter contain no hidden characters.',
  why: 'They arrive with a paste from a web page or a word processor. Then a search does not find the word, a copied command does not run, and a tag differs from how it looks. A sequence of them can also carry a message that only a language model reads. Allowed are joiners between letters, or after a letter of a script that needs them, and the characters of an emoji or of a variant of a Chinese or Mongolian character.',
  fixable: 'unsafe',
  alwaysOn: true,
  check(context) {
    for (const { codePoint, place } of misplacedHiddenInProse(context.document)) {
      const range: [number, number] = [place.start.offset, place.end.offset];
      const isOne = [...context.source.slice(...range)].length === 1;
      context.report({
        place,
        reason: `The text contains the hidden character ${codePoint}. Remove it.`,
        actual: codePoint,
        ...(isOne ? { fix: { range, replacement: '', safe: false } } : {}),
      });
    }
  },
};
