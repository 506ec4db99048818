import { misplacedHiddenInProse } from '../../protocol/hidden.ts';
import type { LintRule } from '../rule.ts';
import { chain, step } from './support/example.ts';

/** Characters of running text that show nothing; those of step blocks are errors of `hidden-character`. */
export const invisibleInText: LintRule = {
  id: 'invisible-in-text',
  family: 'safety',
  severity: 'warning',
  summary: 'Headings, texts and frontmatter contain no hidden characters.',
  why: 'They arrive with a paste from a web page or a word processor. Then a search does not find the word, a copied command does not run, and a tag is not the tag that it looks like. A sequence of them can also carry a message that only a language model reads. Allowed are joiners between letters, or after a letter of a script that needs them, and the characters of an emoji or of a variant of a Chinese or Mongolian character.',
  fixable: 'unsafe',
  alwaysOn: true,
  get examples() {
    return [
      {
        title: 'A zero width space in a command to copy',
        source: chain('Restart', step('Restart it', 'Run `systemctl\u200b restart web`.')),
        findings: [
          {
            line: 5,
            column: 15,
            reason: 'The text contains the hidden character U+200B. Remove it.',
          },
        ],
        fixed: chain('Restart', step('Restart it', 'Run `systemctl restart web`.')),
      },
      {
        title: 'Selectors after an emoji that does not use them',
        source: chain('Restart', step('Restart it', 'Done 😀\ufe0f\udb40\udd68\udb40\udd69.')),
        findings: [
          { line: 5, column: 9 },
          { line: 5, column: 11 },
        ],
        fixed: chain('Restart', step('Restart it', 'Done 😀\ufe0f.')),
      },
      {
        title: 'Emoji and scripts that are written with them',
        source: chain(
          'Restart',
          step('بازنشانی می\u200cشود', 'Careful ⚠️: 👩‍💻 1️⃣ हिन्दी क्\u200dष 葛\udb40\udd00城.'),
        ),
        findings: [],
      },
    ];
  },
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
