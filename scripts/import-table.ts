// What `kairos import` makes of the documents of a folder, as a table: node --import tsx scripts/import-table.ts [--steps CARRIER] FOLDER…
// A sentence is lost when its words don't occur in the result as often as in the source. Exits with 1 for a lost sentence or
// command, or for a result with lint errors.
import { readFileSync } from 'node:fs';
import { lintSource } from '../src/lint/lint-source.ts';
import { importProtocols } from '../src/operations/import.ts';
import type { Carrier } from '../src/protocol/import/carriers.ts';
import { hasRole } from '../src/protocol/import/sections.ts';

interface Row {
  file: string;
  carrier: string;
  steps: number;
  proofs: number;
  commands: string;
  lost: string[];
  refused: string;
  errors: string[];
}

const input = { cwd: process.cwd(), stdin: process.stdin };
const [, , ...words] = process.argv;
const given = words[0] === '--steps' ? { steps: words[1] as Carrier } : {};
const folders = 'steps' in given ? words.slice(2) : words;
const { imported, failures } = await importProtocols(folders, { dryRun: true, ...given }, input);
const bySource = new Map<string, (typeof imported)[number][]>();
for (const each of imported) bySource.set(each.source, [...(bySource.get(each.source) ?? []), each]);
const rows: Row[] = [
  ...(await Promise.all(
    [...bySource].map(async ([source, own]) => {
      const text = own.map((each) => each.text).join('\n');
      const sum = (count: (each: (typeof own)[number]) => number) =>
        own.reduce((all, each) => all + count(each), 0);
      const before = readFileSync(source, 'utf8');
      const lines = commandsOf(before);
      // A gap in a command became the reference of an input.
      const after = withNames(text);
      const isKept = (line: string) => after.includes(withNames(line));
      const kept = lines.filter(isKept).length;
      const lost = [...lostSentences(before, text), ...lines.filter((line) => !isKept(line))];
      return {
        file: source,
        carrier: own.map(({ carrier }) => carrier).join(' '),
        steps: sum(({ steps }) => steps),
        proofs: sum(({ proofs }) => proofs),
        commands: `${kept} of ${lines.length}`,
        lost,
        refused: '',
        errors: (await Promise.all(own.map((each) => lintSource(each.text, { path: source }))))
          .flatMap(({ messages }) => messages)
          .filter(({ severity }) => severity === 'error')
          .map(({ ruleId, reason }) => `${ruleId}: ${reason}`),
      };
    }),
  )),
  ...failures.map(({ source, reason }) => ({
    file: source,
    carrier: '',
    steps: 0,
    proofs: 0,
    commands: '',
    lost: [],
    refused: reason.split('\n').slice(0, 3).join(' '),
    errors: [],
  })),
];

console.log(
  '| file | steps by | steps | proofs | command lines kept | sentences lost | lint errors | refused because |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const { file, carrier, steps, proofs, commands, lost, errors, refused } of rows)
  console.log(
    `| ${file} | ${carrier} | ${steps} | ${proofs} | ${commands} | ${lost.length} | ${errors.length} | ${refused} |`,
  );
for (const { file, lost, errors } of rows) {
  for (const sentence of lost) console.error(`${file}: lost ${JSON.stringify(sentence)}`);
  for (const error of errors) console.error(`${file}: ${error}`);
}
const total = (pick: (row: Row) => number) => rows.reduce((sum, row) => sum + pick(row), 0);
console.log(
  `\n${rows.length} files: ${bySource.size} imported as ${imported.length} protocols, ${failures.length} refused; ${total(({ steps }) => steps)} steps, ${total(({ lost }) => lost.length)} sentences lost, ${rows.filter(({ errors }) => errors.length > 0).length} results with lint errors.`,
);
if (rows.some(({ lost, errors }) => lost.length + errors.length > 0)) process.exitCode = 1;

/** The lines of fenced shell code. */
function commandsOf(source: string): string[] {
  return [
    ...source
      .replace(/\r\n?/g, '\n')
      .matchAll(/^([ \t]*)(`{3,}|~{3,})[ \t]*(?:sh|bash|shell|console|zsh)\b[^\n]*\n([\s\S]*?)^[ \t]*\2/gm),
  ]
    .flatMap(([, , , code = '']) => code.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Placeholders as the names of their inputs. */
function withNames(text: string): string {
  return text.replace(
    /<([A-Za-z][\w -]*)>|\{\{[ \t]*([\w-]+)[ \t]*\}\}|\$\{([A-Z]\w*)\}|\[([A-Z][A-Z_ ]+)\]/g,
    (_, ...names: (string | undefined)[]) =>
      (names.slice(0, 4).find((name) => name !== undefined) ?? '').toUpperCase().replace(/\W+/g, '_'),
  );
}

/** Lines, cells and sentences whose words are fewer in the result. */
function lostSentences(before: string, after: string): string[] {
  const body = before.replace(/^\ufeff/, '').replace(/^---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, '');
  const text = wordsOf(after);
  const wanted = new Map<string, number>();
  for (const line of body
    .split(/\r\n?|\n/)
    .filter((each) => !/^[ \t|:=-]*$|^[ \t]*(?:`{3,}|~{3,})/.test(each))
    // A heading that only announces the steps.
    .filter((each) => !hasRole(each.replace(/^ {0,3}#{1,6}[ \t]+/, '').trim(), 'steps'))) {
    for (const sentence of line.replace(/^[ \t>]*\d{1,9}[.)](?=[ \t])/, '').split(/\||(?<=[.:;!?])[ \t]+/)) {
      const words = wordsOf(sentence);
      // Numbers of a list are its markup.
      if (/[^\d\s]/.test(words)) wanted.set(words, (wanted.get(words) ?? 0) + 1);
    }
  }
  return [...wanted]
    .filter(([words, count]) => text.split(words.trimEnd()).length - 1 < count)
    .map(([words]) => words.trim());
}

/** Letters and digits with one space between words: markup and layout don't count. */
function wordsOf(text: string): string {
  return ` ${
    text
      .replace(/\$ARGUMENTS\b/g, 'ARGUMENTS')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `;
}
