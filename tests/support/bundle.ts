import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles a TypeScript program into a folder of its own, as the product itself is bundled, and answers its path. */
export async function bundleProgram(entry: string): Promise<{ path: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'kairos-program-'));
  await build({
    entryPoints: { program: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.17',
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return {
    path: join(folder, 'program.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
