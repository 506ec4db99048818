import { describe, expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { rangeAt, rangeOf } from '../../../src/cli/commands/lsp/messages.ts';
import { lensesOf, outlineOf } from '../../../src/operations/editor/outline.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';

const TEXT = `---
slug: a
---
# A 👍🏽 title

Its text\u2028 is\u0085 odd.

## Natural Language Triggers

- "東京"

## One\tpart

\`\`\`json
{"proof_of_work": {"type": "comment"}}
\`\`\`

Setext é
--------

## Completion Rule

All.`;

describe('places in an editor', () => {
  it.each([
    ['LF', TEXT],
    ['CRLF', TEXT.replaceAll('\n', '\r\n')],
    ['CR', TEXT.replaceAll('\n', '\r')],
    ['a BOM', `\ufeff${TEXT}`],
  ])('are those of the text with %s', async (_, text) => {
    const document = TextDocument.create('file:///a.md', 'markdown', 1, text);
    const parsed = await parseProtocol(text);
    const [chain] = outlineOf(parsed);
    const places = [chain!, ...chain!.children!].flatMap(({ place, labelPlace }) => [place, labelPlace]);
    expect(places).toHaveLength(10);
    for (const place of [...places, ...lensesOf(parsed).map((lens) => lens.place)]) {
      expect(rangeAt(place)).toEqual(rangeOf(document, [place.start.offset, place.end.offset]));
    }
  });
});
