// The shape of step blocks as plain data, for the build: the program then reads blocks without loading zod.
import { loadBundled } from './bundled.mjs';

const SHAPE = 'src/protocol/block/block-shape.ts';

/** The source of a module with the values that src/protocol/block/block-shape.ts computes from the schema. */
export async function blockShapeModule() {
  const shapes = await loadBundled(SHAPE);
  return Object.entries(shapes)
    .map(([name, value]) => `export const ${name} = ${written(value)};\n`)
    .join('');
}

/** An esbuild plugin that replaces the module by its values. */
export function computedShapes(contents) {
  return {
    name: 'computed-shapes',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/src\/protocol\/block\/block-shape\.ts$/ }, () => ({ contents, loader: 'js' })),
  };
}

function written(value) {
  if (value instanceof RegExp) return String(value);
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${written(inner)}`);
  return `{ ${fields.join(', ')} }`;
}
