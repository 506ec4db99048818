// Writes docs/rules from the rules themselves. With --check it writes nothing and ends with 1 when a page is out of date.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBundled } from './bundled.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}docs/rules/`;

const { rulePages } = await loadBundled('scripts/rule-pages.ts');
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
