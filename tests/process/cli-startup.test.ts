import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { blockShapeModule, computedShapes } from '../../scripts/block-shape.mjs';

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

const packages = (files: string[]) =>
  [...new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))].sort();

describe('a start of the command line', () => {
  it('loads almost nothing to print the version', () => {
    expect(loadedWith('dist/main.js').sort()).toEqual([
      'src/base/version.ts',
      'src/cli/commands/lint/plain-args.ts',
      'src/cli/main.ts',
      'src/host/called-as.ts',
    ]);
  });

  it('lints a file without waiting for any module of Node', () => {
    const source = readFileSync(join(root, 'dist/lint.js'), 'utf8');
    const imported = [...source.matchAll(/(?:^|[;}])import\s*(?:[\w$*{},\s]+from\s*)?["']([^"']+)["']/gm)];
    // What makes `require`; all others are required when they are used first.
    expect(imported.map(([, name]) => name)).toEqual(['node:module']);
  });

  it('reads a handful of files until a server answers, not a hundred', () => {
    const read = new Set<string>();
    const todo = [join(root, 'dist/serve.js')];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (read.has(next)) continue;
      read.add(next);
      const source = readFileSync(next, 'utf8');
      for (const [, path] of source.matchAll(/(?:^|;)import(?:\{[^}]*\}from)?"(\.[^"]+)"/gm)) {
        todo.push(join(dirname(next), path!));
      }
    }
    expect(read.size).toBeLessThan(10);
    const sources = [...read].map((file) => readFileSync(file, 'utf8')).join('');
    for (const part of ['StdioServerTransport', 'PRAGMA journal_mode', 'kairos_begin']) {
      expect(sources).toContain(part);
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

describe('the library', () => {
  it('pulls in nothing heavy when it is imported', () => {
    const files = loadedWith('dist/index.js');
    expect(packages(files)).toEqual(['canonicalize', 'uuid']);
  });
});
