import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFINITIONS } from '../../src/cli/every-command.ts';
import { buildProgram } from '../../src/cli/program.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { guardedDocument } from '../gate/support/cli.ts';
import { overStdio, structured, type TestClient } from '../mcp/support.ts';
import { type CliHome, type CliResult, kairos, makeHome, SPAWNS } from '../support/cli.ts';
import { fakeIo } from '../support/cli-io.ts';
import { protocolOf, stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** A secret of the environment that a person puts into every text of the command line. */
const SECRET = 'wq7Lr2-Zt9fXk4_uM3bN';
let home: CliHome;
let calls: { words: string; result: CliResult }[];
beforeEach(() => {
  home = makeHome();
  calls = [];
});
afterEach(() => home.remove());

async function call(...args: string[]): Promise<CliResult> {
  const env = { DEPLOY_TOKEN: SECRET, KAIROS_SESSION: `session ${SECRET}` };
  const result = await kairos(home, args, { env });
  calls.push({ words: args.join(' '), result });
  return result;
}

/** Files below the home that hold the text, but those that the test wrote itself. */
function filesWith(text: string, folder = home.root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesWith(text, path);
    if (!entry.isFile() || path.startsWith(`${home.work}/`)) return [];
    return readFileSync(path).includes(text) ? [path] : [];
  });
}

/** The lines of all calls that show the secret. */
function shown(): string[] {
  return calls.flatMap(({ words, result: { stdout, stderr } }) => {
    const line = `${stdout}\n${stderr}`.split('\n').find((each) => each.includes(SECRET));
    return line === undefined ? [] : [`${words}: ${line}`];
  });
}

const ASKING = { proof_of_work: { type: 'user_input', user_input: { prompt: 'Which one?' } } };
const PRINTING = {
  proof_of_work: {
    type: 'shell',
    shell: { cmd: 'echo "$DEPLOY_TOKEN"; echo "$WHERE" >&2', env: ['DEPLOY_TOKEN'], timeout_seconds: 9 },
  },
};
const HEAD = '---\nslug: planted\ninputs:\n  WHERE: {description: Where to}\n---\n';

it('finds no planted secret on disk or in output', async () => {
  mkdirSync(join(home.work, `site-${SECRET}`));
  const document = `${HEAD}# Planted\n\n${stepOf('Ask', 'Ask.', ASKING)}\n${stepOf('Print', 'Print.', PRINTING)}`;
  const { path, digest } = await protocolFile(home, document, 'planted.md');
  const answers = answersFile(home, {
    '1.answer': `It is ${SECRET}.`,
    closing: `Printed ${SECRET} and looked.`,
  });
  const walk = ['--trust', digest, '--answers', answers, '--input', `WHERE=at ${SECRET}`];
  expect((await call('run', path, ...walk, '--workdir', `site-${SECRET}`)).code).toBe(0);
  await call('run', path, ...walk, '--json');
  await call('runs', 'show', 'latest', '--full');
  await call('runs', 'export', 'latest');
  await call('report', 'latest', '--format', 'md');
  await call('report', 'latest', '--format', 'html');
  await call('attestation', 'latest');

  // By hand.
  expect((await call('mint', path, '--model', `model ${SECRET}`)).code).toBe(0);
  expect((await call('begin', 'planted', '--input', `WHERE=at ${SECRET}`)).code).toBe(0);
  expect((await call('runs', 'note', 'latest', `A note on ${SECRET}.`)).code).toBe(0);
  expect((await call('answer', 'latest', `Answered with ${SECRET}.`)).code).toBe(0);
  await call('next', 'kairos://mem/00000000-0000-0000-0000-000000002001', '--run', 'latest');
  const failed = [
    'attest',
    'planted',
    'failure',
    `It failed with ${SECRET}.`,
    '--run',
    'latest',
    '--model',
    SECRET,
  ];
  expect((await call(...failed)).code).toBe(0);
  await call('begin', 'planted', '--input', `WHERE=at ${SECRET}`);
  expect((await call('runs', 'close', 'latest', '--reason', `Closed for ${SECRET}.`)).code).toBe(0);
  await call('runs');
  await call('log', 'planted');
  await call('verify', '--all');

  // The document itself is the author's: a protocol that names the secret would be reported by lint.
  expect(filesWith(SECRET)).toEqual([]);
  expect(shown()).toEqual([]);
});

/** Arguments with which a command gets further than its first check. */
const ARGUMENTS: Record<string, string[]> = {
  attest: ['planted', 'failure', 'It did not work at all.'],
  begin: ['planted'],
  answer: ['latest', 'The second one of the two.'],
  delete: ['planted'],
  diff: ['planted'],
  dump: ['planted'],
  export: ['planted'],
  graph: ['planted'],
  'hold test': ['npm publish'],
  import: ['notes.md'],
  install: ['codex'],
  lint: ['planted.md'],
  log: ['planted'],
  mint: ['planted.md'],
  'new': ['made.md'],
  next: ['planted'],
  run: ['planted.md'],
  'runs diff': ['latest', 'latest'],
  'runs note': ['latest', 'A note on it.'],
  schema: ['policy'],
  search: ['planted'],
  show: ['planted'],
  trust: ['planted'],
  update: ['planted'],
};
/** They wait for a client; `config set` writes what a person wants to keep. */
const UNTRIED = /^(?:view|gateway|lsp|serve|config set|install)$/;
const COMMON = new Set(['--store', '--space', '--color']);
/** The text of a protocol is its author's, letter by letter; the name of a file is printed as it was typed. */
const isKept = (name: string, option: string) =>
  option === '--out' || (name === 'update' && ['--label', '--text', '--tags'].includes(option));

/** Each command with its words, those of groups included. */
function leaves(command: Command, words: string[] = []): { words: string[]; command: Command }[] {
  return command.commands
    .filter(({ commands }) => commands !== undefined)
    .flatMap((child) => {
      const path = [...words, child.name()];
      return child.commands.length > 0 ? leaves(child, path) : [{ words: path, command: child }];
    });
}

// Some hundred calls, so in this process only. The test above starts the real program.
it.skipIf(SPAWNS)('finds no secret that is in an argument or an option of any command', async () => {
  const document = `${HEAD}# Planted\n\n${stepOf('Ask', 'Ask.', ASKING)}\n${stepOf('Print', 'Print.', PRINTING)}`;
  await protocolFile(home, document, 'planted.md');
  writeFileSync(join(home.work, 'notes.md'), '# Notes\n\n1. Look at it.\n2. Write it down.\n');
  await kairos(home, ['mint', 'planted.md']);
  await kairos(home, ['begin', 'planted', '--input', 'WHERE=here']);
  const prepared = join(home.root, 'prepared');
  cpSync(home.data, prepared, { recursive: true });
  const program = buildProgram(Object.values(DEFINITIONS), fakeIo().io, (command) => command);
  for (const { words, command } of leaves(program)) {
    const name = words.join(' ');
    if (UNTRIED.test(name)) continue;
    const fresh = () => {
      // What the last call wrote is gone after this.
      expect(filesWith(SECRET)).toEqual([]);
      rmSync(home.data, { recursive: true });
      cpSync(prepared, home.data, { recursive: true });
      return ARGUMENTS[name] ?? command.registeredArguments.map(() => 'latest');
    };
    for (const [at, argument] of command.registeredArguments.entries()) {
      if (/^(?:files?|paths?)$/.test(argument.name())) continue;
      const args = fresh();
      await call(...words, ...args.map((arg, index) => (index === at ? `${arg} ${SECRET}` : arg)));
    }
    for (const { long, flags } of command.options) {
      if (!/[<[]/.test(flags) || COMMON.has(long!) || isKept(name, long!)) continue;
      const value = /name=value/.test(flags) ? `WHERE=${SECRET}` : `x ${SECRET}`;
      await call(...words, ...fresh(), long!, value);
    }
  }
  expect(shown()).toEqual([]);
  expect(filesWith(SECRET)).toEqual([]);
});

/** Files that kairos reads, each with the secret where it may be, and where it is wrong; the commands read them. */
const FILES: [name: string, text: string, ...commands: string[][]][] = [
  ['inputs.yaml', `WHERE: at ${SECRET}\n`, ['begin', 'planted', '--inputs', 'inputs.yaml']],
  [
    'inputs.yaml',
    `WHERE: {at: ${SECRET}}\nOTHER_${SECRET}: x\n`,
    ['begin', 'planted', '--inputs', 'inputs.yaml'],
  ],
  ['answers.yaml', `answers: {${SECRET}: x}\n`, ['run', 'planted.md', '--answers', 'answers.yaml']],
  ['answers.yaml', `answers: [${SECRET}`, ['run', 'planted.md', '--answers', 'answers.yaml']],
  ['../config/kairos.config.yaml', `${SECRET}: x\nspace: ${SECRET}.\n`, ['list'], ['config'], ['doctor']],
  [
    '../config/kairos.policy.yaml',
    `version: 1\n${SECRET}: []\n`,
    ['policy', 'check'],
    ['doctor'],
    ['proposal', 'list'],
  ],
  ['../config/hold.yaml', `holds: [{match: {${SECRET}: x}}]\n`, ['hold', 'list'], ['doctor']],
  ['cases.yaml', `cases: [{${SECRET}: x}]\n`, ['policy', 'test', 'cases.yaml']],
  [
    'run.jsonl',
    `{"v": 1, "${SECRET}": "${SECRET}"}\n`,
    ['verify', 'run.jsonl'],
    ['report', 'run.jsonl'],
    ['runs', 'show', 'run.jsonl'],
  ],
  ['export.jsonl', `{"kairos": "${SECRET}"}\n`, ['store', 'import', 'export.jsonl']],
  [
    'request.json',
    `{"${SECRET}": 1}`,
    ['proposal', 'sign', 'request.json', '--key', 'none'],
    ['proposal', 'submit-answer', 'request.json'],
  ],
  [
    'solution.json',
    `{"type": "${SECRET}", "${SECRET}": 1}`,
    ['next', 'planted', '--run', 'latest', '--solution', '@solution.json'],
  ],
];

it.each(FILES)('finds no secret of the file %s that kairos reads', async (name, text, ...commands) => {
  const document = `${HEAD}# Planted\n\n${stepOf('Ask', 'Ask.', ASKING)}`;
  await protocolFile(home, document, 'planted.md');
  await kairos(home, ['mint', 'planted.md']);
  await kairos(home, ['begin', 'planted', '--input', 'WHERE=here']);
  const path = join(home.work, name);
  writeFileSync(path, text, { mode: 0o600 });
  for (const command of commands) await call(...command);
  expect(shown()).toEqual([]);
  expect(filesWith(SECRET).filter((file) => file !== path)).toEqual([]);
});

/** A path through objects and lists. */
type Path = (string | number)[];

/** The places of all strings in a value, and of those that its schema lists beside. */
function stringPlaces(value: unknown, schema: Schema = {}, at: Path = []): Path[] {
  if (typeof value === 'string') return [at];
  if (Array.isArray(value)) return value.flatMap((one, index) => stringPlaces(one, {}, [...at, index]));
  const members = (value ?? {}) as Record<string, unknown>;
  const listed = Object.entries(schema.properties ?? {});
  const absent = listed.filter(([key, { type }]) => !(key in members) && type === 'string');
  return [
    ...absent.map(([key]) => [...at, key]),
    ...Object.entries(members).flatMap(([key, one]) =>
      stringPlaces(one, schema.properties?.[key], [...at, key]),
    ),
  ];
}

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
}

/** A copy of a value with the secret in one of its strings, or as a key there. */
function planted<T>(value: T, [key, ...rest]: Path, asKey = false): T {
  if (key === undefined) return `${value ?? 'x'} ${SECRET}` as T;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  if (asKey && rest.length === 0) copy[SECRET] = copy[key];
  else copy[key] = planted(copy[key], rest, asKey);
  return copy as T;
}

describe('the MCP server', () => {
  let client: TestClient;
  let schemas: Record<string, Schema>;
  beforeEach(async () => {
    home.env.DEPLOY_TOKEN = SECRET;
    home.env.KAIROS_SESSION = `session ${SECRET}`;
    client = await overStdio('sdk-1', home, ['--log-level', 'debug']);
    const { tools } = await client.client.listTools();
    schemas = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema as Schema]));
  });
  afterEach(() => client.close());

  const leaks: string[] = [];
  /** Makes a call for each string of its arguments, with the secret in it; `args` makes them, as each call needs fresh ones. */
  async function plantIn(name: string, args: () => Promise<Record<string, unknown>>, but: string[] = []) {
    for (const place of stringPlaces(await args(), schemas[name])) {
      if (but.includes(place.join('.'))) continue;
      for (const asKey of place.length > 1 ? [false, true] : [false]) {
        const result = await client.call(name, planted(await args(), place, asKey));
        if (JSON.stringify(result).includes(SECRET))
          leaks.push(`${name} answers ${place.join('.')}${asKey ? ' (key)' : ''}: ${JSON.stringify(result)}`);
      }
    }
  }

  const begin = (key: string) => async () =>
    structured<RunFields>(await client.call('kairos_begin', { key }));
  const TYPES: Record<string, [block: object, solution: Record<string, unknown>]> = {
    shell: [
      { type: 'shell', shell: { cmd: 'make check', timeout_seconds: 30 } },
      { exit_code: 0, stdout: 'out', stderr: 'err' },
    ],
    mcp: [
      { type: 'mcp', mcp: { tool_name: 'list_items' } },
      { tool_name: 'list_items', arguments: { of: 'x' }, result: { items: ['x'] }, success: true },
    ],
    user_input: [
      { type: 'user_input', user_input: { prompt: 'Which one is it?' } },
      { confirmation: 'The second one.', timestamp: '2026-01-01T00:00:00Z' },
    ],
    comment: [
      { type: 'comment', comment: { min_length: 20 } },
      { text: 'Looked at every part of it and wrote it down.' },
    ],
  };

  it('keeps a secret of its environment out of the store and of every answer', async () => {
    leaks.length = 0;
    for (const [type, [block]] of Object.entries(TYPES)) {
      const text = protocolOf([], `Plant ${type}`) + stepOf('Do it', 'Do it.', { proof_of_work: block });
      await client.call('kairos_mint', { markdown_doc: text, force_update: true });
    }
    const gated = guardedDocument({ approval_class: 'none' });
    await client.call('kairos_mint', { markdown_doc: gated, force_update: true });

    await plantIn('kairos_search', async () => ({ query: 'plant shell', space: 'default' }));
    await plantIn('kairos_begin', async () => ({
      uri: 'x',
      key: 'plant-shell',
      inputs: { WHERE: 'x' },
      query: 'x',
    }));
    await plantIn('kairos_begin', async () => ({ key: 'plant-shell' }));
    for (const [type, [, solution]] of Object.entries(TYPES)) {
      for (const name of ['solution', 'proof_of_work', 'proof_of_work_result']) {
        await plantIn('kairos_next', async () => {
          const { challenge, run_id, current_step } = await begin(`plant-${type.replace('_', '-')}`)();
          const { nonce, proof_hash } = challenge!;
          return { uri: current_step!.uri, run_id, [name]: { type, nonce, proof_hash, [type]: solution } };
        });
      }
    }
    await plantIn('kairos_attest', async () => {
      const { run_id, current_step } = await begin('plant-comment')();
      return {
        ...{ uri: current_step!.uri, run_id, outcome: 'failure', llm_model_id: 'model' },
        message: 'It did not work, and everything was left as it had been.',
        solution: { type: 'comment', comment: { text: 'It did not work at all.' } },
      };
    });
    await plantIn('kairos_propose', async () => {
      const { challenge, run_id, current_step, next_action } = await begin('move-the-switch')();
      const { nonce, proof_hash } = challenge!;
      const solution = { type: 'shell', nonce, proof_hash, shell: { exit_code: 0 } };
      const shown = structured<RunFields>(
        await client.call('kairos_next', { uri: current_step!.uri, run_id, solution }),
      );
      expect(next_action).toContain('kairos_next');
      return {
        ...{ uri: shown.current_step!.uri, run_id },
        proposal: { ...shown.challenge!.proposal_draft, parameters: { note: 'x' } },
      };
    });
    const doc = protocolOf(['comment'], 'Minted');
    await plantIn(
      'kairos_mint',
      async () => ({ markdown_doc: doc, llm_model_id: 'm', protocol_version: '1.0.0', space: 'default' }),
      ['markdown_doc'],
    );
    const head = (await begin('plant-shell')()).current_step!.uri;
    // The text of a protocol is its author's, and its digest is of every letter.
    await plantIn(
      'kairos_update',
      async () => ({ uris: [head], updates: { label: 'Do it', text: 'Do it.', tags: ['a'] } }),
      ['updates.label', 'updates.text', 'updates.tags.0'],
    );
    await plantIn('kairos_dump', async () => ({ uri: head }));
    await plantIn('kairos_delete', async () => ({ uris: [head] }));
    await plantIn('kairos_spaces', async () => ({}));
    expect(leaks).toEqual([]);
    expect(filesWith(SECRET)).toEqual([]);
  });
});
