import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DEFINITIONS } from '../../src/cli/every-command.ts';
import { toolsFor } from '../../src/mcp/tools/index.ts';

interface Rule {
  name: string;
  to: { pathNot?: string };
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DOC = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: Rule[];
};

/** Room → the rooms that it may import, as the boundary check enforces it. */
function layers(): Map<string, string[]> {
  return new Map(
    forbidden.flatMap(({ name, to }) => {
      const room = /^(.+)-looks-down$/.exec(name)?.[1];
      if (room === undefined) return [];
      const allowed = /\(\?:(.+)\)\/$/.exec(to.pathNot ?? '')?.[1]?.split('|') ?? [];
      return [[room, allowed.filter((other) => other !== room).sort()] as const];
    }),
  );
}

const rooms = [...DOC.matchAll(/^\| `(\w+)` \| (.+) \| (\d+) \| (.+) \| `(.+)` \|$/gm)].map((row) => ({
  room: row[1] as string,
  files: Number(row[3]),
  imports:
    (row[4] as string) === '' || row[4] === 'nothing'
      ? []
      : [...(row[4] as string).matchAll(/`(\w+)`/g)].map((name) => name[1]),
  first: row[5] as string,
}));

function filesIn(folder: string): number {
  return readdirSync(join(ROOT, folder), { recursive: true }).filter((name) => String(name).endsWith('.ts'))
    .length;
}

/** The files listed below a heading. */
function listed(heading: string): string[] {
  const section = DOC.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\d+\. `(src\/[^`]+)`/gm)].map((match) => match[1] as string);
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map((match) =>
    posix.normalize(posix.join(dirname(file), match[1] as string)),
  );
}

/** Without imports of types alone. */
function valueImportsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const found = source.matchAll(/^import (?!type )(?:\{(?<names>[^}]*)\} )?from '(?<path>\.[^']+)'/gm);
  const paths = [...found]
    .filter(({ groups }) => (groups?.names ?? '').split(',').some((name) => /^\s*(?!type )\w/.test(name)))
    .map(({ groups }) => groups?.path ?? '');
  const later = [...source.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, path = '']) => path);
  return [...paths, ...later].map((path) => posix.normalize(posix.join(dirname(file), path)));
}

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
}

/** What changes a store or trust. */
const WRITES = [
  ...['putRevision', 'deleteChain', 'rate', 'createRun', 'appendEntries', 'addNote', 'pruneRun'],
  ...['restoreChain', 'restoreRun', 'addVectorModel', 'useVectorModel', 'dropVectorModel', 'putVectors'],
  ...['grant', 'revoke'],
];

/** Exports that have the same name on purpose: the library's entry wraps the inner function. */
const WRAPPED = ['parseProtocol'];
const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

describe('src', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name, text: readFileSync(join(ROOT, 'src', name), 'utf8') }));

  it('has at most 650 files', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.length, 'merge small files of one folder that belong together').toBeLessThanOrEqual(650);
  });

  it('has no file over 280 lines', () => {
    const lengths = sources.map(({ name, text }) => `${name}: ${text.trimEnd().split('\n').length}`);
    expect(lengths.filter((line) => Number(line.split(': ')[1]) > 280)).toEqual([]);
  });

  it('exports each name from one file', () => {
    const owners = new Map<string, string[]>();
    for (const { name, text } of sources)
      for (const [, exported] of text.matchAll(EXPORTED))
        owners.set(exported!, [...new Set([...(owners.get(exported!) ?? []), name])]);
    const shared = [...owners].filter(([exported, files]) => files.length > 1 && !WRAPPED.includes(exported));
    expect(shared).toEqual([]);
    expect(owners.get('KairosError')).toEqual(['base/errors.ts']);
  });
});

describe('docs/architecture.md', () => {
  it('lists every room with the imports that the boundary check allows', () => {
    const inDoc = rooms.map(({ room, imports }) => [room, [...imports].sort()]);
    expect(inDoc.sort()).toEqual([...layers()].map(([room, allowed]) => [room, allowed]).sort());
  });

  it.each(rooms)('names the first file and the size of $room', ({ room, files, first }) => {
    expect(existsSync(join(ROOT, 'src', room, first))).toBe(true);
    const actual = filesIn(`src/${room}`);
    expect(Math.abs(actual - files), `${room} has ${actual} files`).toBeLessThanOrEqual(
      Math.max(5, actual * 0.2),
    );
  });

  it.each([
    ['The path of `kairos run FILE`', 40],
    ['The path of `kairos_next`', 30],
  ])('lists %s, each file imported by another one of the list', (heading, most) => {
    const files = listed(heading);
    expect(files.length).toBeGreaterThan(10);
    expect(files.length).toBeLessThanOrEqual(most);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const imported = new Set(files.flatMap(importsOf));
    expect(files.slice(1).filter((file) => !imported.has(file))).toEqual([]);
  });
});

describe('operations', () => {
  const named = new Map(
    [...DOC.matchAll(/^\| ((?:`[a-z]+`(?:, )?)+) \| ((?:`[\w./-]+`(?:, )?)+) \| [^|]+ \|$/gm)].flatMap(
      ([, commands = '', places = '']) =>
        quoted(commands).map((command) => [command, quoted(places)] as const),
    ),
  );
  const commands = Object.keys(DEFINITIONS);
  const tools = toolsFor({ readOnly: false }).map(({ name }) => name.replace('kairos_', ''));

  it.each([...commands, ...tools])('has a file for %s, or the page names its place', (verb) => {
    const isHere = [verb, `${verb}/${verb}`].some((name) =>
      existsSync(join(ROOT, `src/operations/${name}.ts`)),
    );
    const places = named.get(verb) ?? [];
    expect({ isHere, isNamed: places.length > 0 }).toEqual({ isHere, isNamed: !isHere });
    expect(places.filter((place) => !existsSync(join(ROOT, 'src', place)))).toEqual([]);
  });

  it('has each command under its own name', () => {
    const names = Object.values(DEFINITIONS).map((definition) => definition((command) => command).name());
    expect(names).toEqual(commands);
  });

  it('has each file that the text of the page names', () => {
    const text = DOC.replaceAll(/^\|.*$/gm, '');
    const files = quoted(text).filter((name) => /^[\w-]+\/[\w/-]+\.ts$/.test(name));
    expect(files.length).toBeGreaterThan(5);
    expect(
      files.filter((name) => [name, `src/${name}`].every((path) => !existsSync(join(ROOT, path)))),
    ).toEqual([]);
  });

  it('has a reader for each place that the page names', () => {
    expect([...named.keys()].filter((verb) => !commands.includes(verb))).toEqual([]);
    expect(named.size).toBeGreaterThan(10);
  });
});

describe('cli and mcp', () => {
  const sources = ['src/cli', 'src/mcp'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map((name) => `${folder}/${String(name)}`)
      .filter((name) => name.endsWith('.ts')),
  );

  it('import each part of the presentation that the boundary check allows', () => {
    const imported = sources.flatMap(valueImportsOf);
    const allowed = forbidden.find(({ name }) => name === 'one-door')?.to.pathNot ?? '';
    const parts = allowed.slice(allowed.indexOf(')/|') + 3, -1).split('|');
    expect(parts).toContain('run/wording.ts');
    expect(parts.filter((part) => !imported.some((file) => file.startsWith(`src/${part}`)))).toEqual([]);
  });

  it('write to no store and grant no trust by themselves', () => {
    const writes = new RegExp(`\\b(?:store|trust)\\.(?:${WRITES.join('|')})\\(`);
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((file) => writes.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
  });
});

/** Files that the text names, without those that stand for a name of the reader's choice (`VERB`, `<id>`). */
function filesNamedIn(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return [...text.matchAll(/\b(?:src|tests|scripts)\/[\w./-]+\.\w+/g)]
    .map(([path]) => path)
    .filter((path) => !/\b[A-Z][A-Z-]+\b/.test(path) || existsSync(join(ROOT, path)));
}

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'AGENTS.md'].concat(
  readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);

describe('documents for contributors', () => {
  it.each(DOCUMENTS)('%s names files of the source that exist', (document) => {
    expect(filesNamedIn(document).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
