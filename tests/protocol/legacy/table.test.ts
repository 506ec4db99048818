import fc from 'fast-check';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { expect, it } from 'vitest';
import { cellsOf, tableStart } from '../../../src/protocol/legacy/proof-line.ts';
import { runs } from '../../support/thorough.ts';

it.each<[string, { text: string; start: number }[]]>([
  [
    '| a | b |',
    [
      { text: 'a', start: 2 },
      { text: 'b', start: 6 },
    ],
  ],
  [
    'a | b',
    [
      { text: 'a', start: 0 },
      { text: 'b', start: 4 },
    ],
  ],
  [' | a \\| b |  ', [{ text: 'a \\| b', start: 3 }]],
  [
    '| a || ',
    [
      { text: 'a', start: 2 },
      { text: '', start: 5 },
    ],
  ],
])('reads the cells of %j', (row, cells) => expect(cellsOf(row)).toEqual(cells));

const row = fc
  .array(fc.constantFrom('a', ' ', '|', '-', ':', '--', '\\|', '| a |', '|-|', ' | '), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
  // What begins no paragraph, or goes on with none.
  .filter((text) => text.trim() !== '' && !/^\s*(?:-+\s*$|-\s|:?$)|^ {4}/.test(text));

const remark = unified().use(remarkParse).use(remarkGfm).freeze();

it('finds the header of a table where remark does', () => {
  let tables = 0;
  fc.assert(
    fc.property(fc.array(row, { minLength: 2, maxLength: 4 }), (rows) => {
      const { children } = remark.parse(rows.join('\n'));
      fc.pre(children.every(({ type }) => type === 'paragraph' || type === 'table'));
      const table = children.find(({ type }) => type === 'table');
      if (table !== undefined) tables += 1;
      expect(tableStart(rows)).toBe(table === undefined ? -1 : table.position!.start.line - 1);
    }),
    { numRuns: runs(2000) },
  );
  expect(tables).toBeGreaterThan(0);
});
