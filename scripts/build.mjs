// Bundles src into dist: one small entry, everything heavy in chunks that are loaded on first use.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const { metafile } = await build({
  metafile: true,
  absWorkingDir: root,
  entryPoints: { main: 'src/cli/main.ts', index: 'src/index.ts', bench: 'src/bench.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  chunkNames: 'chunks/[name]-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'warning',
  define: { __KAIROS_VERSION__: JSON.stringify(version) },
  // Its main entry is UMD, which cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // Native or optional: resolved at run time. node:sqlite exists only from Node 22.5 on.
  external: ['@photostructure/sqlite', 'node:sqlite'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

// Chunks of earlier builds go last, so that a program that is just running still finds its own.
for (const name of readdirSync(`${root}dist/chunks`)) {
  if (!(`dist/chunks/${name}` in metafile.outputs)) rmSync(`${root}dist/chunks/${name}`);
}
