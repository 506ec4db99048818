// Loads a TypeScript module for a script: bundles it and imports the result.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The exports of a source file, named from the root. */
export async function loadBundled(file) {
  const outfile = `${root}node_modules/.cache/kairos/${file.replaceAll('/', '-')}.mjs`;
  await build({
    absWorkingDir: root,
    entryPoints: [file],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.17',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}
