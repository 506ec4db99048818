// Bundles src into dist: everything heavy is a chunk that is loaded on first use. The entry, a plain call of the linter, a hook
// and what a server of agents or editors needs to start are one piece each; scripts/pieces.mjs decides what shares a file otherwise.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { blockShapeModule, computedShapes } from './block-shape.mjs';
import { licencesOf } from './notices.mjs';
import { inPieces } from './pieces.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** Modules of Node that load slowly: of these, each function loads its module when it is called. */
const LATE = ['node:crypto', 'node:fs/promises', 'node:os', 'node:vm', 'node:timers/promises'];
/** Each file finds the parser next to the entries, also from the folder of the chunks. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url.replace(/chunks\\/[^/]*$/, ''));";

const shapes = computedShapes(await blockShapeModule());

/** Only a script that isn't plain needs the parser: it is a file that the first such script loads. */
const lateParser = {
  name: 'late-parser',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^unbash$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path, namespace: 'parser' },
    );
    onResolve({ filter: /^\.\/shell-parser\.cjs$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /./, namespace: 'parser' }, () => ({
      contents: [
        `export { forEachChild } from '${root}node_modules/unbash/dist/traversal.js';`,
        "export const parse = (text) => require('./shell-parser.cjs').parse(text);",
      ].join('\n'),
      resolveDir: root,
    }));
  },
};

const common = {
  metafile: true,
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'warning',
  define: { __KAIROS_VERSION__: JSON.stringify(version) },
  // Its main entry is UMD, which cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // Exists only from Node 22.5 on.
  external: ['node:sqlite'],
  banner: { js: REQUIRE },
};

const LINT = 'src/cli/commands/lint/plain-call.ts';
const LSP = 'src/cli/only-lsp.ts';
/** What an editor's server loads before its first answer, in its own piece. */
const LSP_FIRST = 'src/cli/commands/lsp/handler.ts';
const HOOK = 'src/cli/commands/hold/hook.ts';
/** What a hook loads for a held call, in one piece under the name of its first module. */
const HELD = ['src/operations/hook.ts', 'src/cli/context.ts'];
const SERVE = 'src/cli/only-serve.ts';
const STORE = 'src/store/sqlite/store.ts';
const [program, serve, library, bench] = await Promise.all([
  split('program', {
    entry: 'src/cli/every-command.ts',
    first: ['src/cli/context.ts', STORE],
    others: [LINT, LSP, LSP_FIRST, HOOK, ...HELD],
  }),
  split('serve', {
    entry: SERVE,
    first: ['src/cli/commands/serve/handler.ts', 'src/mcp/server/stdio.ts', STORE],
  }),
  split('index', { entry: 'src/index.ts' }),
  split('bench', { entry: 'src/bench.ts' }),
]);

/** Builds an entry in pieces (scripts/pieces.mjs). The first build shows what needs what. */
async function split(name, modules) {
  const options = {
    ...common,
    entryPoints: { [name]: modules.entry },
    splitting: true,
    chunkNames: `chunks/${name}-[name]-[hash]`,
  };
  const { metafile } = await build({
    ...options,
    entryPoints: [modules.entry, ...(modules.others ?? [])],
    plugins: [shapes, lateParser],
    write: false,
  });
  return build({ ...options, plugins: [shapes, lateParser, inPieces(root, metafile, modules)] });
}

/** Modules of a hook that the piece for a held call uses too: they are large, or keep a state. */
const SHARED = [
  'src/base/command-line.ts',
  'src/shell/commands.ts',
  'src/shell/held.ts',
  'src/shell/nested.ts',
  'src/shell/same-command.ts',
  'src/shell/started.ts',
];

/**
 * What a held call needs only sometimes: functions by their module (empty: all), in files that the first call of one of these functions
 * loads. Modules of a late file are its own, so a function that must share a state with others is in their file.
 */
const LATE_HELD = {
  // Gated steps, records and searches.
  'held-late': {
    ...late('src/gate', { decide: '', reading: '', rollback: '', 'approval/statement': '' }),
    ...late('src/operations', { next: '' }),
    ...late('src/search', { document: '', resolve: '' }),
    ...late('src/store/sqlite', {
      'put-revision': 'putRevision revisions chainRecord nextChain nextRun runAt restoreChain restoreRun',
      search: '',
      vectors: '',
    }),
  },
  // What writes to a run.
  'held-run': {
    ...late('src/operations/run', { transact: 'transact' }),
    ...late('src/proof', { shell: 'keptOutput' }),
    ...late('src/run/decide', { 'reported-call': 'decideReport startCall' }),
    ...late('src/store/sqlite', {
      ledger:
        'createRun appendEntries readSeal readLines misnumbered readNotes pruneRun lastRun findRunByNonce',
    }),
  },
};

function late(folder, modules) {
  const functions = Object.entries(modules).map(([name, names]) => [
    `${folder}/${name}.ts`,
    names.split(' ').filter(Boolean),
  ]);
  return Object.fromEntries(functions);
}

/** Entry module → the file that contains it. */
const files = new Map(
  Object.entries(program.metafile.outputs).map(([file, { entryPoint }]) => [
    entryPoint?.replace('start:', ''),
    file,
  ]),
);
files.set(LINT, 'dist/lint.cjs');
files.set(SERVE, 'dist/serve.js');
files.set(HOOK, 'dist/hook.cjs');
files.set(LSP, 'dist/lsp.cjs');
for (const file of HELD) files.set(file, 'dist/held.cjs');

/** CommonJS, which Node starts without its second module loader: that one alone needs a fifth of an empty program's time. */
const direct = { ...common, format: 'cjs', banner: {}, outExtension: { '.js': '.cjs' } };
direct.define = { ...common.define, 'import.meta.dirname': '__dirname' };
const main = await build({
  ...direct,
  entryPoints: {
    ...{ main: 'src/cli/main.ts', lint: LINT, lsp: LSP, hook: 'hook' },
    'shell-parser': 'unbash',
  },
  plugins: [
    shapes,
    lateParser,
    entry('hook', [
      `export { runProcess } from '${root}src/cli/main.ts';`,
      `export * from '${root}${HOOK}';`,
      ...SHARED.map((file, at) => `import * as shared${at} from '${root}${file}';`),
      `export const shared = { ${SHARED.map((file, at) => `'${file}': shared${at}`).join(', ')} };`,
    ]),
    { name: 'in-one-piece', setup: (build) => inOnePiece(build, [LSP_FIRST]) },
  ],
});
const held = await Promise.all([
  buildHeld('held', HELD, LATE_HELD),
  ...Object.entries(LATE_HELD).map(([name, own]) => {
    const { [name]: _, ...others } = LATE_HELD;
    return buildHeld(name, Object.keys(own), others);
  }),
]);

// The library looks for its binaries next to the folder of the chunk that it is in.
cpSync(`${root}node_modules/@photostructure/sqlite/prebuilds`, `${root}dist/prebuilds`, { recursive: true });

const bundles = [program, serve, library, main, ...held].map(({ metafile }) => metafile);
writeFileSync(
  `${root}dist/third-party-licences.txt`,
  licencesOf(
    root,
    bundles.flatMap(({ inputs }) => Object.keys(inputs)),
  ),
);

// Chunks of earlier builds go last, so that a program that is just running still finds its own.
const built = Object.assign({}, ...[program, serve, library, bench].map((each) => each.metafile.outputs));
for (const name of readdirSync(`${root}dist/chunks`)) {
  if (!(`dist/chunks/${name}` in built)) rmSync(`${root}dist/chunks/${name}`);
}

/** A plugin for an entry without a file. */
function entry(name, lines) {
  return {
    name,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ path }) => ({ path, namespace: 'entry' }));
      onLoad({ filter: /./, namespace: 'entry' }, () => ({
        contents: lines.join('\n'),
        resolveDir: root,
        loader: 'ts',
      }));
    },
  };
}

/** One CommonJS file with the exports of these modules, next to that of the hook. */
function buildHeld(name, modules, later) {
  return build({
    ...direct,
    entryPoints: { [name]: name },
    // The SQLite library looks for its binaries next to the folder of the file that it is in.
    define: { ...direct.define, 'import.meta.dirname': '__chunks', __dirname: '__chunks' },
    alias: {
      ...direct.alias,
      '@photostructure/sqlite': `${root}node_modules/@photostructure/sqlite/dist/index.cjs`,
    },
    banner: { js: 'const __chunks = `${__dirname}/chunks`;' },
    plugins: [
      shapes,
      entry(
        name,
        modules.map((file) => `export * from '${root}${file}';`),
      ),
      { name: 'from-hook', setup: fromHook },
      { name: 'late', setup: (build) => lateHeld(build, later) },
      { name: 'in-one-piece', setup: (build) => inOnePiece(build, [STORE, '@photostructure/sqlite']) },
    ],
  });
}

/** The shared modules are those of the hook. */
function fromHook({ onResolve, resolve }) {
  const names = matching(SHARED);
  onResolve({ filter: names }, async ({ path, pluginData, ...from }) => {
    if (pluginData === 'seen') return undefined;
    const file = (await resolve(path, { ...from, pluginData: 'seen' })).path.slice(root.length);
    const contents = `module.exports = require('./hook.cjs').shared['${file}'];`;
    return SHARED.includes(file) ? { path: file, namespace: 'piece', pluginData: contents } : undefined;
  });
}

/** The last part of an import of one of these modules. */
function matching(modules) {
  return new RegExp(`/(?:${modules.map((file) => basename(file)).join('|')})$`);
}

/** Each late function loads its file when it is called. */
function lateHeld({ onResolve, onLoad, resolve }, later) {
  const fileOf = new Map(
    Object.entries(later).flatMap(([name, modules]) =>
      Object.entries(modules).map(([file, names]) => [`${root}${file}`, { name, names }]),
    ),
  );
  onResolve({ filter: matching([...fileOf.keys()]) }, async ({ path, pluginData, ...from }) => {
    if (pluginData === 'seen' || from.kind !== 'import-statement' || from.namespace === 'late')
      return undefined;
    const found = await resolve(path, { ...from, pluginData: 'seen' });
    return fileOf.has(found.path) ? { path: found.path, namespace: 'late' } : undefined;
  });
  onLoad({ filter: /./, namespace: 'late' }, ({ path }) => {
    const { name, names } = fileOf.get(path);
    const all = readFileSync(path, 'utf8').matchAll(/^export (?:async )?function (\w+)/gm);
    const functions = names.length === 0 ? [...all].map(([, each]) => each) : names;
    // Its other exports are its own.
    const contents = `export * from '${path}';\n${forwarding(`./${name}.cjs`, functions)}`;
    return { contents, resolveDir: root };
  });
}

/** Rarely used parts are the files of the full program, except for `own`. Slow modules of Node are loaded on first use. */
function inOnePiece({ onResolve, onLoad, resolve }, own) {
  onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData, namespace }) => {
    if (namespace === 'piece' || (namespace === 'late' && path.endsWith('.cjs')))
      return { path, external: true };
    if (isBuiltin(path)) {
      const name = path.startsWith('node:') ? path : `node:${path}`;
      // An external module needs no object with a getter for each of its exports.
      if (namespace === 'node' || !LATE.includes(name)) return { path: name, external: true };
      return { path: name, namespace: 'node' };
    }
    const isOurs = /^\.|^\//.test(path) && !importer.startsWith(`${root}node_modules`);
    const isLater = kind === 'dynamic-import' && !own.includes(path);
    if (pluginData === 'seen' || !(isLater || (isOurs && kind === 'import-statement'))) return undefined;
    const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'seen' });
    if (found.errors.length > 0) return found;
    // Modules of the source only define things: one without a use is left out, with its tables.
    if (!isLater) return { ...found, sideEffects: false };
    if (own.includes(found.path.slice(root.length))) return undefined;
    const file = files.get(found.path.slice(root.length));
    if (file === undefined) throw new Error(`${found.path} is in no file of its own`);
    const name = `./${file.slice('dist/'.length)}`;
    // Importing a CommonJS file would start the module loader and look for its exports.
    return file.endsWith('.cjs')
      ? { path: name, namespace: 'piece', pluginData: `module.exports = require('${name}');` }
      : { path: name, external: true };
  });
  onLoad({ filter: /./, namespace: 'piece' }, ({ pluginData: contents }) => ({ contents }));
  onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({ contents: lateFunctions(path) }));
  onResolve({ filter: /^#supports-color$/ }, ({ path }) => ({ path, namespace: 'colors' }));
  // kairos decides itself whether to colour.
  onLoad({ filter: /./, namespace: 'colors' }, () => ({ contents: 'export default {};' }));
}

/** Other exports than functions load the module where they are used. */
function lateFunctions(path) {
  const all = Object.entries(process.getBuiltinModule(path));
  const isFunction = ([, value]) => typeof value === 'function';
  const others = all.filter((each) => !isFunction(each));
  return [
    forwarding(
      path,
      all.filter(isFunction).map(([name]) => name),
    ),
    ...others.map(([name]) => `export const ${name} = /* @__PURE__ */ (() => require('${path}').${name})();`),
  ].join('\n');
}

/** Some of the functions are classes. */
function forwarding(path, names) {
  return names
    .map((name) => {
      const late = `require('${path}').${name}`;
      return `export const ${name} = function (...given) { return new.target ? new (${late})(...given) : ${late}(...given); };`;
    })
    .join('\n');
}
