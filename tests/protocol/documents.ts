import fc from 'fast-check';

/** Pieces of lines on which parsers of markdown like to disagree. */
const PIECES = [
  'text',
  'two words',
  '# One',
  '## Two',
  '### Three',
  '#',
  '##',
  '## `code` and *emphasis*',
  '## A ~~b~~ www.example.org a@b.co',
  '## [link](/url "t") ![image](/i) [foo] <b>x</b> &amp; \\*',
  '# Closed #',
  '---',
  '===',
  '***',
  '- item',
  '- ',
  '1. first',
  '2) second',
  '- [x] task',
  '```',
  '```json',
  '```JSON',
  '````markdown',
  '~~~',
  '~~~yaml',
  '{"proof_of_work": {"type": "comment"}}',
  '{"challenge": {"type": "shell", "shell": {"cmd": "a"}}}',
  'proof_of_work: {type: comment}',
  'PROOF OF WORK: npm test',
  '- **Proof of work:** `timeout 5m npm test` at once',
  'Example: ```json',
  '<div>',
  '</div>',
  '<!-- comment -->',
  '<!--',
  '-->',
  '<pre>',
  '<b>inline',
  '<custom-element>',
  '<?php',
  '[foo]: /url',
  '[foo]: /url "title"',
  '[foo]',
  '| a | b |',
  '|---|---|',
  '| x |',
  'a | b',
  '--|--',
  '[^1]: note',
  '[^1]',
  '\u00a0',
  '## Natural Language Triggers',
  '## Completion Rule',
  'slug: a-b',
  'tags: [a, "b c"]',
  'version: 1.2.3',
  'a\\',
  'a  ',
  '{',
  '"',
];
const INDENTS = ['', '', '', '', ' ', '  ', '   ', '    ', '\t', '      '];
const MARKERS = ['', '', '', '', '', '', '- ', '> ', '1. ', '- - ', '-   '];

const line = fc
  .tuple(
    fc.constantFrom(...INDENTS),
    fc.constantFrom(...MARKERS),
    fc.constantFrom(...PIECES),
    fc.constantFrom('', '', '', '', ' ', '\t'),
    fc.constantFrom('\n', '\n', '\n', '\n', '\n\n', '\n\n', '\r\n', '\r'),
  )
  .map((parts) => parts.join(''));

/** Documents of odd lines in any order: CRLF, tabs, BOM, frontmatter, tables, footnotes, unclosed fences and comments. */
export const oddDocument = fc
  .tuple(
    fc.constantFrom('', '', '', '', '\ufeff'),
    fc.constantFrom('', '', '', '---\nslug: a-b\n---\n'),
    fc.array(line, { maxLength: 12 }),
  )
  .map(([bom, frontmatter, lines]) => `${bom}${frontmatter}${lines.join('')}`);

/** The same under a title and step headings, so that most of them hold a chain. */
export const oddProtocol = fc
  .tuple(
    fc.array(line, { maxLength: 3 }),
    fc.array(fc.array(line, { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([description, steps]) =>
    ['# Title\n\n', ...description, ...steps.flatMap((body, at) => [`\n## Step ${at}\n\n`, ...body])].join(
      '',
    ),
  );

/** One line of characters that mean something in markdown, YAML or JSON. */
export const oddLabel = fc
  .array(
    fc.constantFrom(
      ...'\\`*_[]<>&~#!:.@-()"\'|{}= aB1é日',
      '😀',
      'http://',
      'www.',
      '&amp;',
      '&#35;',
      '<b>',
      '](/u)',
      '\u00a0',
      '\u2028',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
