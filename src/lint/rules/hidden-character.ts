import { hiddenIn, hiddenInDocument } from '../../protocol/hidden.ts';
import type { LintRule } from '../rule.ts';

export const hiddenCharacter: LintRule = {
  id: 'hidden-character',
  family: 'safety',
  severity: 'error',
  summary: 'A protocol contains no control, bidi or tag characters, and a step block no hidden ones.',
  why: 'They change what a terminal does, in which order a reader sees the text, or what a language model reads, while the document looks harmless. A command, a path or a pattern with a hidden character is not the one that was read and trusted; an escape of it is just as harmful. Texts of a block that people read (`prompt`, `choices`, `system`, `title`, `description`) or that are passed on as data (`arguments`, `expected_result`, `equals`) may contain the characters of an emoji, and joiners in scripts that need them. Minting rejects all others, regardless of directives.',
  fixable: 'unsafe',
  alwaysOn: true,
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
