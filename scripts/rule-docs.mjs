// Writes docs/rules from the rules themselves. With --check it writes nothing and ends with 1 when a page is out of date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}docs/rules/`;
const program = `${root}node_modules/.cache/kairos/rule-pages.mjs`;

await build({
  absWorkingDir: root,
  entryPoints: ['scripts/rule-pages.ts'],
  outfile: program,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  logLevel: 'warning',
});
const { rulePages } = await import(pathToFileURL(program).href);
const pages = await rulePages();

mkdirSync(folder, { recursive: true });
const stale = readdirSync(folder).filter((name) => !pages.has(name));
const changed = [...pages].filter(([name, text]) => current(name) !== text).map(([name]) => name);
if (process.argv.includes('--check')) {
  if (stale.length + changed.length > 0) {
    console.error(
      `docs/rules is out of date (${[...stale, ...changed].join(', ')}): run node scripts/rule-docs.mjs`,
    );
    process.exitCode = 1;
  }
} else {
  for (const name of stale) rmSync(folder + name);
  for (const name of changed) writeFileSync(folder + name, pages.get(name));
  console.log(`docs/rules: ${pages.size} pages, ${changed.length} written, ${stale.length} removed`);
}

function current(name) {
  try {
    return readFileSync(folder + name, 'utf8');
  } catch {
    return null;
  }
}
