// Writes docs/format.md from the schemas of the format. With --check it writes nothing and ends with 1 when the page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = `${root}node_modules/.cache/kairos/format-page.mjs`;
const target = `${root}docs/format.md`;

await build({
  absWorkingDir: root,
  entryPoints: ['scripts/format-page.ts'],
  outfile: program,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  logLevel: 'warning',
});
const { formatPage } = await import(pathToFileURL(program).href);
const page = formatPage();
if (!process.argv.includes('--check')) writeFileSync(target, page);
else if (readFileSync(target, 'utf8') !== page) {
  console.error('docs/format.md is out of date: run node scripts/format-docs.mjs');
  process.exitCode = 1;
}
