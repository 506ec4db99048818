// Writes src/protocol/block/block-shape.ts from the schema of step blocks.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = `${root}node_modules/.cache/kairos/block-shape.mjs`;
const target = `${root}src/protocol/block/block-shape.ts`;

await build({
  absWorkingDir: root,
  entryPoints: ['scripts/block-shape.ts'],
  outfile: program,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  logLevel: 'warning',
});
const { blockShape, inputShape } = await import(pathToFileURL(program).href);
writeFileSync(
  target,
  `// Made by scripts/block-shape.mjs from src/protocol/schema.ts; a test compares the two. Do not edit.
import type { Shape } from './shape.ts';

/** What a step block may look like. */
export const BLOCK_SHAPE: Shape = ${written(blockShape())};

/** What an input of a document may look like. */
export const INPUT_SHAPE: Shape = ${written(inputShape())};
`,
);
execFileSync(`${root}node_modules/.bin/biome`, ['check', '--write', target], { stdio: 'inherit' });

function written(value) {
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => `${key}: ${written(inner)}`);
  return `{ ${fields.join(', ')} }`;
}
