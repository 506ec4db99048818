import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Writes a program that Node can run by itself: TypeScript, with imports relative to `src`. Returns its path. */
export async function bundleScript(outfile: string, contents: string): Promise<string> {
  await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('../../../src', import.meta.url)), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}
