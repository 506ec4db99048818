// Bundles src into dist: everything heavy is a chunk that is loaded on first use. The entry, a plain call of the linter and
// what a server needs to start are one piece each: reading forty chunks takes longer than linting a file.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { blockShapeModule, computedShapes } from './block-shape.mjs';
import { licencesOf } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const LATE_CRYPTO = `
export const hash = (algorithm, data, encoding) => require('node:crypto').hash(algorithm, data, encoding);
export const randomBytes = (size) => require('node:crypto').randomBytes(size);
export const createHmac = (algorithm, key) => require('node:crypto').createHmac(algorithm, key);
`;
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

const shapes = computedShapes(await blockShapeModule());

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

const { metafile } = await build({
  ...common,
  entryPoints: { program: 'src/cli/every-command.ts', index: 'src/index.ts', bench: 'src/bench.ts' },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [shapes],
});

// A server loads later parts from its own chunks, which import that one piece.
const SERVE = 'src/cli/only-serve.ts';
const STORE = 'src/store/sqlite/store.ts';
/** What a server loads before its first answer. */
const SERVE_FIRST = ['src/cli/commands/serve/handler.ts', 'src/mcp/server/stdio.ts', STORE];
const serve = await build({
  ...common,
  entryPoints: { serve: SERVE },
  splitting: true,
  chunkNames: 'chunks/serve-[name]-[hash]',
  plugins: [shapes, { name: 'upon-one-piece', setup: (build) => uponOnePiece(build, [SERVE], SERVE_FIRST) }],
});

// So does a hook, once a call is held.
const HELD = 'src/operations/hook.ts';
/** What a hook loads for a held call, all under the name of its first module. */
const HELD_FIRST = [HELD, 'src/cli/context.ts', 'src/cli/output.ts'];
const held = await build({
  ...common,
  entryPoints: { held: 'held' },
  splitting: true,
  chunkNames: 'chunks/held-[name]-[hash]',
  plugins: [shapes, { name: 'held', setup: heldPiece }],
});

/** Entry module → the file that contains it. */
const files = new Map(Object.entries(metafile.outputs).map(([file, { entryPoint }]) => [entryPoint, file]));
files.set('src/cli/commands/lint/plain-call.ts', 'dist/lint.js');
files.set(SERVE, 'dist/serve.js');
files.set('src/cli/commands/hold/hook.ts', 'dist/hook.js');
for (const file of HELD_FIRST) files.set(file, 'dist/held.js');

const direct = await build({
  ...common,
  entryPoints: {
    main: 'src/cli/main.ts',
    lint: 'src/cli/commands/lint/plain-call.ts',
    hook: 'src/cli/commands/hold/hook.ts',
  },
  plugins: [shapes, { name: 'in-one-piece', setup: inOnePiece }],
});

// The library looks for its binaries next to the folder of the chunk that it is in.
cpSync(`${root}node_modules/@photostructure/sqlite/prebuilds`, `${root}dist/prebuilds`, { recursive: true });

const bundles = [metafile, serve.metafile, held.metafile, direct.metafile];
writeFileSync(
  `${root}dist/third-party-licences.txt`,
  licencesOf(
    root,
    bundles.flatMap(({ inputs }) => Object.keys(inputs)),
  ),
);

// Chunks of earlier builds go last, so that a program that is just running still finds its own.
const built = { ...metafile.outputs, ...serve.metafile.outputs, ...held.metafile.outputs };
for (const name of readdirSync(`${root}dist/chunks`)) {
  if (!(`dist/chunks/${name}` in built)) rmSync(`${root}dist/chunks/${name}`);
}

/**
 * Modules that the same entries reach share a chunk. So each module that is loaded later imports the first piece too, which it
 * finds there anyway; otherwise what it has in common with that piece would be torn out of it, some ninety chunks.
 */
function uponOnePiece({ onLoad }, entry, pieces) {
  const later = new Set(
    Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
    ),
  );
  onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
    const file = path.slice(root.length);
    const first = entry.includes(file) ? pieces : later.has(file) ? entry : [];
    if (first.length === 0) return undefined;
    const imports = first
      .map((name) => `import '${name.startsWith('src/') ? root + name : name}';\n`)
      .join('');
    return { contents: `${imports}${readFileSync(path, 'utf8')}`, loader: 'ts' };
  });
}

/** An entry that has the exports of all its modules. */
function heldPiece(build) {
  const { onResolve, onLoad } = build;
  const contents = [
    ...HELD_FIRST.map((file) => `export * from '${root}${file}';`),
    `import '${root}${STORE}';`,
  ].join('\n');
  onResolve({ filter: /^held$/ }, ({ path }) => ({ path, namespace: 'held' }));
  onLoad({ filter: /./, namespace: 'held' }, () => ({ contents, resolveDir: root, loader: 'ts' }));
  const isFirst = (path) => [...HELD_FIRST, STORE].includes(path.slice(root.length));
  // Its own modules don't import it.
  const others = (filter, load) => onLoad(filter, (given) => (isFirst(given.path) ? undefined : load(given)));
  uponOnePiece({ onLoad: others }, ['held'], []);
}

/**
 * Rarely used parts are the files of the full program. Modules of Node are required, not imported, since an
 * import looks at every one of their exports, and node:crypto on first use.
 */
function inOnePiece({ onResolve, onLoad, resolve }) {
  onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData, namespace }) => {
    if (path.startsWith('node:'))
      return namespace === 'node' ? { path, external: true } : { path, namespace: 'node' };
    if (kind !== 'dynamic-import' || pluginData === 'seen') return undefined;
    const found = await resolve(path, { kind, importer, resolveDir, pluginData: 'seen' });
    if (found.errors.length > 0) return found;
    const file = files.get(found.path.slice(root.length));
    if (file === undefined) throw new Error(`${found.path} is in no file of its own`);
    return { path: `./${file.slice('dist/'.length)}`, external: true };
  });
  onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
    contents: path === 'node:crypto' ? LATE_CRYPTO : `module.exports = require('${path}');`,
  }));
  onResolve({ filter: /^#supports-color$/ }, ({ path }) => ({ path, namespace: 'colors' }));
  // Whether to colour is decided by ourselves.
  onLoad({ filter: /./, namespace: 'colors' }, () => ({ contents: 'export default {};' }));
}
