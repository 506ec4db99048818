import { hiddenIn, hiddenInDocument } from '../../protocol/hidden.ts';
import type { LintRule } from '../rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Characters that are obeyed without being seen. */
export const hiddenCharacter: LintRule = {
  id: 'hidden-character',
  family: 'safety',
  severity: 'error',
  summary: 'A protocol contains no control, bidi or tag characters, and a step block no hidden ones.',
  why: 'They change what a terminal does, in which order a reader sees the text, or what a language model reads, while the document looks harmless. A command, a path or a pattern with a hidden character is not the one that was read and trusted; an escape of it is just as harmful. Texts of a block that people read (`prompt`, `choices`, `system`, `title`, `description`) or that are passed on as data (`arguments`, `expected_result`, `equals`) may contain the characters of an emoji, and joiners in scripts that need them. Minting rejects all others, regardless of directives.',
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
              'The text contains the hidden character U+202E. Remove it; if the text is about the character, give its number.',
          },
          { line: 5, column: 20 },
        ],
        fixed: '# Pay the invoice\n\n## Check the account\n\nSend it to tnuocca of the customer.\n',
      },
      {
        title: 'A zero width space in a command, as an escape',
        source: chain(
          'Clean up',
          step('Remove', 'The old ones.', shellBlock('rm -f old')).replace('-f', '-f\\u200b'),
        ),
        findings: [
          {
            line: 8,
            column: 60,
            reason: 'The step block contains the hidden character U+200B. Remove it.',
          },
        ],
        fixed: chain('Clean up', step('Remove', 'The old ones.', shellBlock('rm -f old'))),
      },
      {
        title: 'A selector in a pattern in YAML, as an escape',
        source: PATTERN.replace('ready', 'ready\\U000E0100'),
        findings: [{ line: 12, column: 28 }],
        fixed: PATTERN,
      },
      {
        title: 'Text in any script, with emoji, and a question with one',
        source: `# Перевірити резервну копію\n\n## 確認する\n\nAlles gut 👍🏽.\n\n${ASKED}\n`,
        findings: [],
      },
    ];
  },
  check(context) {
    const { document, source } = context;
    const found = hiddenInDocument(document, (block, { path, isKey, at, length }) => {
      const value = context.locate(block, path);
      return (isKey ? value?.key : value?.inside(at, at + length)) ?? block.valuePlace;
    });
    for (const { codePoint, place } of found) {
      const range: [number, number] = [place.start.offset, place.end.offset];
      context.report({
        place,
        reason: isInvisible(codePoint)
          ? `The step block contains the hidden character ${codePoint}. Remove it.`
          : `The text contains the hidden character ${codePoint}. Remove it; if the text is about the character, give its number.`,
        actual: codePoint,
        ...(isOneCharacter(source.slice(...range)) ? { fix: { range, replacement: '', safe: false } } : {}),
      });
    }
  },
};

function isInvisible(codePoint: string): boolean {
  return hiddenIn(String.fromCodePoint(Number.parseInt(codePoint.slice(2), 16))).length === 0;
}

/** The character itself, or its escape in JSON or YAML; not a text that contains it somewhere. */
function isOneCharacter(text: string): boolean {
  return [...text].length === 1 || ESCAPE.test(text);
}

const ESCAPE =
  /^(?:\\u[\da-f]{4}|\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\x[\da-f]{2}|\\U[\da-f]{8}|\\[0abefvNLP])$/i;

const PATTERN = `# Wait

## Wait for it

Until it answers.

\`\`\`yaml
proof_of_work:
  type: shell
  shell:
    cmd: make status
    stdout_matches: "^ready$"
    timeout_seconds: 60
\`\`\`
`;

const ASKED =
  '```json\n{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is the sign ⚠️ gone?", "choices": ["it is gone"]}}}\n```';
