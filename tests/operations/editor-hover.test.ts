import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { LINT_RULES } from '../../src/lint/rules/index.ts';
import { helpAt, suggestions } from '../../src/operations/editor/assist.ts';
import { type EditorFileKind, fileKind } from '../../src/operations/editor/check.ts';
import type { NamedValue } from '../../src/operations/editor/outline.ts';
import { SCHEMAS } from '../../src/operations/json-schemas.ts';

type Schema = Record<string, unknown>;
type Path = (string | number)[];

/** A key of a schema: its path in a document, the document around it, and its description. */
interface Key {
  path: Path;
  around: unknown;
  description: string;
}

const MAX_DEPTH = 12;

const noNames = () => Promise.resolve([]);

/** Every key that a schema allows, each in a document that leads to it. */
function keysOf(root: Schema): Key[] {
  const found: Key[] = [];
  visit(root, [], {}, 0);
  return found;

  function visit(schema: Schema, path: Path, around: unknown, depth: number): void {
    if (depth > MAX_DEPTH) return;
    const { $ref, anyOf, oneOf, properties, items, additionalProperties } = schema;
    if (typeof $ref === 'string') {
      const defs = root.$defs as Record<string, Schema>;
      visit(defs[$ref.split('/').at(-1)!]!, path, around, depth + 1);
    }
    for (const choice of [anyOf, oneOf].flat())
      if (choice !== undefined) visit(choice as Schema, path, around, depth + 1);
    const all = Object.entries((properties ?? {}) as Record<string, Schema>);
    const fixed = Object.fromEntries(
      all.flatMap(([key, { const: value }]) => (value === undefined ? [] : [[key, value]])),
    );
    for (const [key, inner] of all) {
      const here = at(around, path, { [key]: fixed[key] ?? null, ...fixed });
      found.push({ path: [...path, key], around: here, description: String(inner.description) });
      visit(inner, [...path, key], here, depth + 1);
    }
    if (isSchema(items)) visit(items, [...path, 0], at(around, path, [null]), depth + 1);
    if (isSchema(additionalProperties))
      visit(additionalProperties, [...path, 'NAME'], at(around, path, { NAME: null }), depth + 1);
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy of a value with another one at a path. */
function at(value: unknown, [first, ...rest]: Path, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  if (typeof first === 'number') return [at((value as unknown[])[first], rest, replacement)];
  const owner = value as Record<string, unknown>;
  return { ...owner, [first]: at(owner[first], rest, replacement) };
}

/** A file with a key, and where the key is. */
interface Written {
  text: string;
  offset: number;
  kind: EditorFileKind;
}

const FENCE = '# A\n\n## B\n\nDo it.\n\n```json\n';
const FRONTMATTER = '---\n';

/** Schemas of files that editors open, by name. Ledgers, attestations and proposals are written by programs. */
const FILES: Record<string, (json: string, path: Path) => Written> = {
  'step-block': (json, path) => inside(FENCE, json, '\n```\n', path, 'protocol'),
  frontmatter: (json, path) => inside(FRONTMATTER, json, '\n---\n# A\n', path, 'protocol'),
  config: (json, path) => inside('', json, '\n', path, 'config'),
  answers: (json, path) => inside('', json, '\n', path, 'answers'),
  inputs: (json, path) => inside('', json, '\n', path, 'inputs'),
  policy: (json, path) => inside('', json, '\n', path, 'policy'),
  hold: (json, path) => inside('', json, '\n', path, 'hold'),
  'policy-cases': (json, path) => inside('', json, '\n', path, 'policy-cases'),
};

function inside(before: string, json: string, after: string, path: Path, kind: EditorFileKind): Written {
  const [key] = findNodeAtLocation(parseTree(json)!, path)!.parent!.children!;
  return { text: `${before}${json}${after}`, offset: before.length + key!.offset + 2, kind };
}

describe('the hover of an editor', () => {
  it.each(Object.entries(FILES))('describes every key of %s', async (name, write) => {
    const keys = keysOf(SCHEMAS[name]!.make() as Schema);
    const silent: Key[] = [];
    for (const key of keys) {
      const { path, around, description } = key;
      const { text, offset, kind } = write(JSON.stringify(around, null, 2), path);
      const help = await helpAt(text, offset, kind, noNames);
      if (help?.markdown.startsWith(`**${path.at(-1)}**`) && help.markdown.includes(description)) continue;
      silent.push(key);
    }
    expect(silent.map(({ path }) => path.join('.'))).toEqual([]);
    expect(keys.length).toBeGreaterThanOrEqual(LEAST[name]!);
  });

  it('describes the words of a shorthand fence', async () => {
    const text = '# A\n\n## B\n\n```sh proof timeout=1m exit=0 workdir=a env=B\nmake\n```\n';
    for (const word of ['proof', 'timeout', 'exit', 'workdir', 'env'])
      expect((await helpAt(text, text.indexOf(` ${word}`) + 2, 'protocol', noNames))?.markdown, word).toMatch(
        /.{30}/,
      );
  });

  it.each(['constructor', 'toString'])('describes no word that the schema lacks: %s', async (word) => {
    const text = `# A\n\n## B\n\n\`\`\`sh proof ${word}\nmake\n\`\`\`\n`;
    expect(await helpAt(text, text.indexOf(word) + 2, 'protocol', noNames)).toBeNull();
  });

  it('parses no document for what needs no names', async () => {
    const names = () => Promise.reject(new Error('the document was parsed'));
    const text =
      '# A\n\n## B\n\n```json\n{"proof_of_work": {"type": "shell"}}\n```\n\n```sh proof timeout=1m\nmake "$A"\n```\n';
    const at = (part: string) => text.indexOf(part) + 2;
    expect((await helpAt(text, at('"type"'), 'protocol', names))?.markdown).toContain('**type**');
    expect((await helpAt(text, at(' timeout'), 'protocol', names))?.markdown).toContain('**timeout=**');
    expect(await helpAt(text, at('\n## B'), 'protocol', names)).toBeNull();
    expect((await suggestions(text, at('"shell"'), 'protocol', names)).map(({ label }) => label)).toContain(
      'mcp',
    );
    expect(await suggestions(text, at('\n## B'), 'protocol', names)).toEqual([]);
    await expect(helpAt(text, text.indexOf('$A') + 1, 'protocol', names)).rejects.toThrow('was parsed');
  });

  it('describes the values of an answers file and an inputs file', async () => {
    const answers = 'answers:\n  1: done\n  2: { answer: blue }\n  input.HOST: lb2\n';
    for (const key of ['1', '2', 'input.HOST'])
      expect(
        (await helpAt(answers, answers.indexOf(`  ${key}`) + 2, 'answers', noNames))?.markdown,
        key,
      ).toMatch(/.{20}/);
    expect((await helpAt('HOST: lb2\n', 1, 'inputs', noNames))?.markdown).toContain('Value of the input');
  });
});

describe('the completion of an editor', () => {
  const inputs: NamedValue[] = ['HOST', 'PORT'].map((name) => ({
    name,
    kind: 'input',
    description: `The ${name}`,
    declared: [0, 0],
  }));
  /** What is offered at the mark: the label, and the text with it. */
  const offered = async (marked: string) => {
    const offset = marked.indexOf('¦');
    const text = marked.replace('¦', '');
    const all = await suggestions(text, offset, 'protocol', () => Promise.resolve(inputs));
    return all.map(({ label, insert, range: [from, to] }) => [
      label,
      `${text.slice(0, from)}${insert}${text.slice(to)}`,
    ]);
  };
  const fence = (info: string) => `# A\n\n## B\n\n\`\`\`${info}\nmake\n\`\`\`\n`;
  const block = (line: string) => `# A\n\n## B\n\n\`\`\`json\n${line}\n\`\`\`\n`;
  const yaml = (lines: string) => `# A\n\n## B\n\n\`\`\`yaml\n${lines}\n\`\`\`\n`;

  it.each([
    ['env=¦', ['HOST', 'PORT'], 'env=PORT'],
    ['env=HO¦', ['HOST', 'PORT'], 'env=PORT'],
    ['env=HOST,¦', ['PORT'], 'env=HOST,PORT'],
    ['timeout=¦', ['30s', '1m', '5m', '15m', '1h'], 'timeout=1h'],
    ['timeout=5¦', ['30s', '1m', '5m', '15m', '1h'], 'timeout=1h'],
    ['exit=¦', [], null],
    ['workdir=a¦', [], null],
    ['timeout=5m ¦', ['exit=', 'workdir=', 'env='], 'timeout=5m env='],
    ['timeout=5m e¦', ['exit=', 'workdir=', 'env='], 'timeout=5m env='],
  ])('offers what can follow `sh proof %s`', async (words, labels, last) => {
    const found = await offered(fence(`sh proof ${words}`));
    expect(found.map(([label]) => label)).toEqual(labels);
    expect(found.at(-1)?.[1] ?? null).toBe(last === null ? null : fence(`sh proof ${last}`));
  });

  const shell = (line: string) => block(`{"proof_of_work": {"type": "shell", "shell": ${line}}}`);
  it.each([
    [shell('{"cmd": "ping $¦"}'), shell('{"cmd": "ping $PORT"}')],
    [shell('{"cmd": "ping ${HO¦}"}'), shell('{"cmd": "ping ${PORT}"}')],
    [shell('{"cmd": "ping", "env": ["¦"]}'), shell('{"cmd": "ping", "env": ["PORT"]}')],
    [shell('{"cmd": "ping", "env": [¦]}'), shell('{"cmd": "ping", "env": ["PORT"]}')],
    [
      block('{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is {{¦"}}}'),
      block('{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is {{PORT}}"}}}'),
    ],
    [
      yaml('proof_of_work:\n  type: shell\n  shell:\n    cmd: |\n      ping $¦'),
      yaml('proof_of_work:\n  type: shell\n  shell:\n    cmd: |\n      ping $PORT'),
    ],
    [
      yaml('proof_of_work:\n  type: shell\n  shell:\n    cmd: ping\n    env: [¦]'),
      yaml('proof_of_work:\n  type: shell\n  shell:\n    cmd: ping\n    env: [PORT]'),
    ],
  ])('offers inputs in %j', async (marked, last) => {
    const found = await offered(marked);
    expect(found.map(([label]) => label)).toEqual(['HOST', 'PORT']);
    expect(found.at(-1)![1]).toBe(last);
  });

  it('offers no input after the end of a pattern', async () => {
    const pattern = '{"cmd": "x", "stdout_matches": "^a$¦"}';
    expect(await offered(shell(pattern))).toEqual([]);
  });

  const rules = LINT_RULES.map(({ id }) => id).filter((id) => !id.startsWith('directive-'));
  it.each([
    ['<!-- ¦ -->', ['kairos-disable', 'kairos-enable', 'kairos-disable-next-line', 'kairos-disable-file']],
    [
      '<!-- kairos-dis¦',
      ['kairos-disable', 'kairos-enable', 'kairos-disable-next-line', 'kairos-disable-file'],
    ],
    ['<!-- kairos-disable ¦ -->', rules],
    ['<!-- kairos-disable-next-line step¦ -->', rules],
    ['<!-- kairos-disable step-empty, ¦ -- reason -->', rules.filter((id) => id !== 'step-empty')],
    ['<!-- kairos-disable step-empty -- rea¦ -->', []],
    ['<!-- see step¦ -->', []],
    ['<!-- kairos-disable step-empty --> ¦', []],
    ['¦<!-- kairos-disable -->', []],
    ['<!¦-- kairos-disable -->', []],
    ['```text\n<!-- kairos-disable ¦ -->\n```', []],
  ])('offers names of directives and rules in %s', async (line, labels) => {
    const found = await offered(`# A\n\n## B\n\n${line}\n\nText.\n`);
    expect(found.map(([label]) => label)).toEqual(labels);
  });
});

/** Far fewer keys mean that this test has lost its way through a schema. */
const LEAST: Record<string, number> = {
  'step-block': 50,
  frontmatter: 10,
  config: 10,
  answers: 2,
  inputs: 0,
  policy: 40,
  hold: 8,
  'policy-cases': 40,
};

it.each([
  ['steps/drain.md', 'protocol'],
  ['kairos.policy.yaml', 'policy'],
  ['team.cases.yml', 'policy-cases'],
  ['hold.yaml', 'hold'],
  ['kairos.config.json', 'config'],
  ['drain.answers.yaml', 'answers'],
  ['answers.json', 'answers'],
  ['prod.inputs.yml', 'inputs'],
  ['inputs.yaml', 'inputs'],
  ['outputs.yaml', null],
  ['docker-compose.yaml', null],
])('%s is known as %s', (path, kind) => {
  expect(fileKind(path)).toBe(kind);
});

describe('the fence that an editor asks in', () => {
  const FENCE = '```sh proof timeout=5m\nmake\n```\n';
  it.each([
    ['after others', `# A\n\n\`\`\`\nx\n\`\`\`\n\n${FENCE}`],
    ['with CRLF', `# A\n\n${FENCE}`.replaceAll('\n', '\r\n')],
    ['in an item of a list', `# A\n\n10. Build it:\n\n${FENCE.replace(/^(?=.)/gm, '    ')}`],
    ['without an end', `# A\n\n~~~~\n\`\`\`\n~~~~\n\n${FENCE.replace('\n```\n', '')}`],
    ['after a frontmatter', `---\nslug: a\n---\n# A\n\n${FENCE}`],
  ])('is found %s', async (_, text) => {
    const help = await helpAt(text, text.indexOf('timeout') + 1, 'protocol', noNames);
    expect(text.slice(...help!.range)).toBe('timeout');
    expect(await helpAt(text, text.indexOf('make') + 1, 'protocol', noNames)).toBeNull();
  });

  it('has completion in a step block of a list', async () => {
    const text = '# A\n\n10. One\n\n    ```yaml\n    proof_of_work:\n      type: \n    ```\n';
    const found = await suggestions(text, text.indexOf('type: ') + 6, 'protocol', noNames);
    expect(found.map(({ label }) => label)).toContain('shell');
  });
});
