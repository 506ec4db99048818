import { hiddenCharacters } from '../../protocol/hidden.ts';
import type { Rule } from '../rule.ts';

/** Characters that are obeyed without being seen. */
export const hiddenCharacter: Rule = {
  id: 'hidden-character',
  family: 'safety',
  severity: 'error',
  summary: 'A protocol holds no control, bidi or tag characters.',
  why: 'They change what a terminal does, in which order a reader sees the text, or what a language model reads, while the document looks harmless. A command can look like another one, and an agent can be told what no human reads. Minting refuses them, whatever a directive says.',
  fixable: 'unsafe',
  alwaysOn: true,
  get examples() {
    return [
      {
        title: 'A right-to-left override in a step',
        source:
          '# Pay the invoice\n\n## Check the account\n\nSend it to \u202etnuocca\u202c of the customer.\n',
        findings: [
          {
            line: 5,
            column: 12,
            reason:
              'The text holds the invisible character U+202E. Remove it, or write it as an escape where it is meant.',
          },
          { line: 5, column: 20 },
        ],
        fixed: '# Pay the invoice\n\n## Check the account\n\nSend it to tnuocca of the customer.\n',
      },
      {
        title: 'Text in any script, with emoji',
        source: '# Перевірити резервну копію\n\n## 確認する\n\nAlles gut 👍🏽.\n',
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { codePoint, place } of hiddenCharacters(context.source)) {
      context.report({
        place,
        reason: `The text holds the invisible character ${codePoint}. Remove it, or write it as an escape where it is meant.`,
        actual: codePoint,
        fix: { range: [place.start.offset, place.end.offset], replacement: '', safe: false },
      });
    }
  },
};
