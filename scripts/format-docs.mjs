// Writes the reference pages and the man page from the schemas and commands. With --check it writes nothing and ends with 1 when a page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBundled } from './bundled.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const PAGES = [
  { script: 'format-page', make: 'formatPage', target: 'docs/format.md' },
  { script: 'policy-page', make: 'policyPage', target: 'docs/policy.md' },
  { script: 'files-page', make: 'filesPage', target: 'docs/files.md' },
  { script: 'commands-page', make: 'commandsPage', target: 'docs/commands.md' },
  { script: 'commands-page', make: 'errorsPage', target: 'docs/errors.md' },
  { script: 'commands-page', make: 'manPage', target: 'man/kairos.1' },
];

for (const { script, make, target } of PAGES) {
  const page = (await loadBundled(`scripts/${script}.ts`))[make](version);
  if (!process.argv.includes('--check')) writeFileSync(`${root}${target}`, page);
  else if (readFileSync(`${root}${target}`, 'utf8') !== page) {
    console.error(`${target} is out of date: run node scripts/format-docs.mjs`);
    process.exitCode = 1;
  }
}
