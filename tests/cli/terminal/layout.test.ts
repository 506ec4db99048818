import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { createColor } from '../../../src/cli/output.ts';
import { heading, keyValues, measureFor, pad, table } from '../../../src/cli/terminal/layout.ts';
import { runs } from '../../support/thorough.ts';

const plain = createColor(false);
const colored = createColor(true);

it('heads a step with its place', () => {
  expect(heading('Run the tests', { place: '2/5', color: plain })).toBe('2/5  Run the tests');
  expect(heading('a\x1b[2Jb', { color: colored })).toBe('\x1b[1ma\\x1b[2Jb\x1b[22m');
});

it('aligns keys and values, several lines of a value below each other', async () => {
  const rows = [
    ['command', 'npm test'],
    ['環境', 'A\nB'],
    ['empty', ''],
  ] as const;
  expect(await keyValues(rows, { color: plain, indent: 2 })).toBe(
    ['  command  npm test', '  環境     A', '           B', '  empty'].join('\n'),
  );
  expect(await keyValues([], { color: plain })).toBe('');
});

it('wraps values for a terminal below themselves, at blanks where there are any', async () => {
  const rows = [
    ['runs', 'scale the deployment to zero'],
    ['hash', 'abcdefghijklmnopqrstuvwxyz'],
    ['本', '発行発行発行発行'],
  ] as const;
  expect(await keyValues(rows, { color: plain, wrapAt: 18 })).toBe(
    [
      ['runs  scale the', '      deployment', '      to zero'],
      ['hash  abcdefghijkl', '      mnopqrstuvwx', '      yz'],
      ['本    発行発行発行', '      発行'],
    ]
      .flat()
      .map((line) => line.trimEnd())
      .join('\n'),
  );
});

it('never begins a line of a value where a key begins, so that no value can pass for a row', async () => {
  const value = fc.array(fc.constantFrom('rollback', '  ', ' ', 'none', '発', 'x'.repeat(9), '\n', '\u200b'));
  await fc.assert(
    fc.asyncProperty(value, fc.integer({ min: 24, max: 60 }), async (parts, wrapAt) => {
      const text = await keyValues(
        [
          ['runs', parts.join('')],
          ['rollback', 'none'],
        ],
        { color: plain, wrapAt },
      );
      const lines = text.split('\n');
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(wrapAt);
      expect(lines.filter((line) => /^\S/.test(line)).map((line) => line.split(' ')[0])).toEqual([
        'runs',
        'rollback',
      ]);
    }),
  );
});

it('aligns a table by what a terminal shows', async () => {
  const text = await table(
    [{ head: 'slug' }, { head: 'steps', align: 'right' }, { head: 'title' }],
    [
      ['a', '12', '発行'],
      ['release-\x07', '3', 'Release'],
    ],
    { color: plain },
  );
  expect(text).toBe(
    ['slug          steps  title', 'a                12  発行', 'release-\\x07      3  Release'].join('\n'),
  );
});

it('styles the head and the columns that want it', async () => {
  const columns = [{ head: 'a', style: (text: string) => colored.red(text) }, { head: 'b' }];
  expect(await table(columns, [['x']], { color: colored })).toBe(
    '\x1b[1ma\x1b[22m  \x1b[1mb\x1b[22m\n\x1b[31mx\x1b[39m',
  );
});

it('separates the columns of every table, without a control character', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { minLength: 2, maxLength: 2 }), {
        maxLength: 6,
      }),
      async (rows) => {
        const lines = (
          await table(
            [{ head: 'one' }, { head: '|' }],
            rows.map(([a]) => [a ?? '', '|']),
            { color: plain },
          )
        ).split('\n');
        expect(lines).toHaveLength(rows.length + 1);
        expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
        expect(lines.join('')).not.toMatch(/\p{Cc}/u);
      },
    ),
    { numRuns: runs(100) },
  );
});

it('measures ASCII by length and everything else by string-width', async () => {
  expect((await measureFor(['abc']))('abc')).toBe(3);
  expect((await measureFor(['abc', '発']))('発a')).toBe(3);
  expect(pad('発', 4, await measureFor(['発']), 'right')).toBe('  発');
});

it('cuts one column to fit a row into the terminal', async () => {
  const columns = [{ head: '#' }, { head: 'STEP' }, { head: 'STATE' }];
  const rows = [
    ['1', 'Water every plant of the house', 'proven'],
    ['2', '発行発行発行発行発行', 'pending'],
  ];
  const shown = await table(columns, rows, { color: plain, cut: { column: 1, fit: 26 } });
  expect(shown.split('\n')).toEqual([
    '#  STEP            STATE',
    '1  Water every p…  proven',
    '2  発行発行発行…   pending',
  ]);
  for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(26);
  expect(await table(columns, rows, { color: plain, cut: { column: 1, fit: undefined } })).toContain(
    'Water every plant of the house',
  );
});
