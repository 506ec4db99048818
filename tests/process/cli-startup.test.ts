import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { blockShapeModule, computedShapes } from '../../scripts/block-shape.mjs';
import { KAIROS_BIN, kairos, makeHome } from '../support/cli.ts';

/**
 * What a start loads, read off the bundle's own plan: heavy libraries may only stand behind a dynamic import of the
 * command that needs them.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
let metafile: Metafile;
beforeAll(async () => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts', index: 'src/index.ts' },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: ['@photostructure/sqlite', 'node:sqlite'],
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [computedShapes(await blockShapeModule())],
  });
  metafile = result.metafile;
});

/** Source files that are loaded with an output, dynamic imports not followed. */
function loadedWith(output: string): string[] {
  const seen = new Set<string>();
  const todo = [output];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const { path, kind, external } of metafile.outputs[next]?.imports ?? []) {
      if (kind === 'import-statement' && !external) todo.push(path);
    }
  }
  return [...seen].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
}

/** The output that holds a module of ours. */
function outputOf(source: string): string {
  const found = Object.entries(metafile.outputs).find(([, { inputs }]) => source in inputs);
  if (found === undefined) throw new Error(`${source} is in no output`);
  return found[0];
}

/** A built file, and those that are read with it. */
function readWith(file: string): Set<string> {
  const read = new Set([file]);
  for (const each of read) {
    const source = readFileSync(each, 'utf8');
    for (const [, path] of source.matchAll(/(?:^|;)import(?:\{[^}]*\}from)?"(\.[^"]+)"/gm)) {
      read.add(join(dirname(each), path!));
    }
  }
  return read;
}

const packages = (files: string[]) =>
  [...new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))].sort();

/** Prints the modules of Node and the files that a program has loaded, on standard error. */
const LOADED = `
const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  const own = process.moduleLoadList.filter((name) => !before.has(name) && name.startsWith('NativeModule '));
  const files = Object.keys(require.cache).filter((file) => file !== __filename && !file.endsWith('account-home.cjs'));
  const names = [...own.map((name) => name.slice('NativeModule '.length)), ...files].sort();
  require('node:fs').writeSync(2, JSON.stringify(names));
});
`;

const PROTOCOL =
  '# Release\n\n## Check\n\nLook at the page.\n\n```json\n{"proof_of_work":{"type":"comment"}}\n```\n';

describe('a start of the command line', () => {
  it('loads almost nothing to print the version', () => {
    expect(loadedWith('dist/main.js').sort()).toEqual([
      'src/base/package-root.ts',
      'src/cli/commands/lint/plain-args.ts',
      'src/cli/io.ts',
      'src/cli/main.ts',
      'src/host/called-as.ts',
    ]);
  });

  it('checks a call that is not held without streams, cryptography, threads for files, a parser and other pieces', () => {
    const home = makeHome();
    const trace = join(home.root, 'trace.cjs');
    writeFileSync(trace, LOADED);
    writeFileSync(
      join(home.config, 'hold.yaml'),
      'holds:\n  - {match: {command: git push}, protocol: release}\n',
      { mode: 0o600 },
    );
    const loaded = (command: string) => {
      const event = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } };
      const { stderr, stdout } = spawnSync(
        process.execPath,
        ['--require', trace, KAIROS_BIN, 'hook', 'claude-code'],
        {
          env: { ...home.env, KAIROS_MACHINE_DIR: home.root },
          input: JSON.stringify(event),
          encoding: 'utf8',
        },
      );
      return { stdout, names: JSON.parse(stderr) as string[] };
    };
    // The first one reads YAML and keeps the result.
    loaded('ls');
    const { stdout, names } = loaded('ls -la && npm test');
    expect(stdout).toBe('{}\n');
    expect(
      names.filter((name) => /^(?:stream|net|tty|crypto|fs\/promises|worker_threads)$/.test(name)),
    ).toEqual([]);
    expect(names.filter((name) => name.startsWith('/'))).toEqual(
      [KAIROS_BIN, join(root, 'dist/hook.cjs')].sort(),
    );
    const held = loaded('git push').names;
    const own = (list: string[]) => list.filter((name) => /\/dist\/.*\.[cm]?js$/.test(name));
    const files = (...parts: string[]) => parts.map((name) => join(root, `dist/${name}.cjs`));
    expect(own(held)).toEqual(files('held', 'hook'));
    // A command in a command is read by the parser, if it has quotes.
    expect(own(loaded('ls $(pwd)').names)).toEqual(files('hook'));
    expect(own(loaded('ls $(ls "$X")').names)).toEqual(files('hook', 'shell-parser'));
    home.remove();
  });

  it.runIf(process.platform === 'linux')(
    'refuses a held call by its exit code if the answer cannot be written',
    () => {
      const home = makeHome();
      writeFileSync(
        join(home.config, 'hold.yaml'),
        'holds:\n  - {match: {command: git push}, protocol: release}\n',
        { mode: 0o600 },
      );
      const code = (command: string) => {
        const event = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } };
        const full = openSync('/dev/full', 'w');
        const { status } = spawnSync(process.execPath, [KAIROS_BIN, 'hook', 'claude-code'], {
          env: { ...home.env, KAIROS_MACHINE_DIR: home.root },
          input: JSON.stringify(event),
          stdio: ['pipe', full, 'pipe'],
        });
        closeSync(full);
        return status;
      };
      expect([code('git push'), code('ls')]).toEqual([2, 0]);
      home.remove();
    },
  );

  it('reads a handful of files until a server answers, not a hundred', () => {
    const read = readWith(join(root, 'dist/serve.js'));
    expect(read.size).toBeLessThan(10);
    const sources = [...read].map((file) => readFileSync(file, 'utf8')).join('');
    for (const part of ['StdioServerTransport', 'PRAGMA journal_mode', 'kairos_begin']) {
      expect(sources).toContain(part);
    }
  });

  it('reads a few files for a call about a run, and no parser of markdown or commands', () => {
    const home = makeHome();
    writeFileSync(join(home.work, 'p.md'), PROTOCOL);
    const read = (...args: string[]) => {
      const coverage = join(home.root, 'coverage');
      const env = { ...home.env, NODE_V8_COVERAGE: coverage };
      const { status } = spawnSync(process.execPath, [KAIROS_BIN, ...args], { cwd: home.work, env });
      expect(status).toBe(0);
      const [report = ''] = readdirSync(coverage);
      const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8')) as {
        result: { url: string }[];
      };
      rmSync(coverage, { recursive: true });
      return result.flatMap(({ url }) => /\/dist\/(.*)/.exec(url)?.[1] ?? []);
    };
    read('mint', 'p.md');
    for (const args of [
      ['begin', 'release'],
      ['runs', 'show', 'latest'],
      ['attest', 'release', 'failure', 'Stopped.', '--run', 'latest'],
    ]) {
      const files = read(...args);
      expect(files.length).toBeLessThan(60);
      expect(
        files.filter((name) => /reference|remark|unified|shell-parser|yaml|prompter/.test(name)),
      ).toEqual([]);
    }
    home.remove();
  });

  it('serves an editor from one file, without YAML, a policy, a record or Prettier', () => {
    const files = loadedWith(outputOf('src/cli/commands/lsp/handler.ts'));
    expect(
      packages(files).filter((name) => /^(?:yaml|prettier|ajv|re2js|remark.*|micromark.*)$/.test(name)),
    ).toEqual([]);
    expect(files.filter((file) => /^src\/(?:gate|run|store\/sqlite)\//.test(file))).toEqual([]);
    const source = readFileSync(join(root, 'dist/lsp.cjs'), 'utf8');
    for (const part of ['textDocument/hover', 'kairos-disable-next-line', 'proof_of_work']) {
      expect(source).toContain(part);
    }
  });

  it('loads later parts of the linter, of hooks and of editors without the command line', () => {
    for (const entry of ['lint.cjs', 'lsp.cjs', 'hook.cjs', 'held.cjs']) {
      const source = readFileSync(join(root, 'dist', entry), 'utf8');
      const later = [...source.matchAll(/import\("(\.\/chunks\/[^"]+)"\)/g)].map(([, path]) => path!);
      const files = later.flatMap((path) => [...readWith(join(root, 'dist', path))]);
      expect(files.filter((file) => readFileSync(file, 'utf8').includes('commander.helpDisplayed'))).toEqual(
        [],
      );
    }
  });

  it('loads names and options, and no handler', () => {
    const files = loadedWith(outputOf('src/cli/every-command.ts'));
    expect(packages(files)).toEqual(['chalk', 'commander']);
    expect(files.filter((file) => /^src\/cli\/commands\/.*\/(?!command\.ts$)/.test(file))).toEqual([]);
  });

  it('loads no markdown, no YAML, no schema and no command line to lint', () => {
    const files = loadedWith(outputOf('src/cli/commands/lint/plain-call.ts'));
    expect(packages(files)).toEqual(['canonicalize', 'chalk', 'unbash', 'uuid']);
  });

  it('loads nothing heavy to list what is stored', () => {
    const files = loadedWith(outputOf('src/cli/commands/protocols/list.ts'));
    expect(packages(files)).toEqual(['canonicalize', 'uuid']);
  });

  it.each([
    ...['walk/handler', 'runs/list', 'runs/show', 'records/verify'],
    ...['protocols/show', 'protocols/search'],
  ])('loads no parser, prompt, MCP client or markdown renderer with %s', (command) => {
    const heavy =
      /^(?:remark.*|unified|micromark.*|mdast.*|commonmark|marked.*|yaml|ajv.*|re2js|@inquirer\/.*|@modelcontextprotocol\/.*|@qdrant\/.*|string-width)$/;
    expect(
      packages(loadedWith(outputOf(`src/cli/commands/${command}.ts`))).filter((name) => heavy.test(name)),
    ).toEqual([]);
  });
});

it('lints a document that only remark can read, in the plain call', async () => {
  const home = makeHome();
  writeFileSync(join(home.work, 'page.md'), '# Page\n\nSetext\n------\n\n- a\n\n      text\n1) b\n');
  const { code, stderr } = await kairos(home, ['lint', 'page.md']);
  home.remove();
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('1 protocol checked') });
});

describe('the library', () => {
  it('pulls in nothing heavy when it is imported', () => {
    const files = loadedWith('dist/index.js');
    expect(packages(files)).toEqual(['canonicalize', 'uuid']);
  });
});
