import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (folder: string, pattern: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));

/** `env.NAME`, `env['NAME']`, a name taken out of `env`, and every name of kairos itself as a text. */
const READS = [
  /\benv(?:ironment)?\??\.([A-Z][A-Z0-9_]+)\b/g,
  /\benv\[['"]([A-Z][A-Z0-9_]+)['"]\]/g,
  /['"`]((?:KAIROS|QDRANT)_[A-Z_]*[A-Z])['"`]/g,
];
/** Only named, in a rule of lint. */
const NOT_READ = new Set(['KAIROS_WORK_DIR']);

it('documents every environment variable that kairos reads', () => {
  const names = new Set<string>();
  for (const text of [...read('src', /\.ts$/), ...read('bin', /\.js$/)]) {
    for (const pattern of READS) for (const [, name] of text.matchAll(pattern)) names.add(name!);
  }
  expect(names.size).toBeGreaterThan(35);
  const docs = read('docs', /\.md$/).join('\n');
  const missing = [...names].filter((name) => !NOT_READ.has(name) && !new RegExp(`\\b${name}\\b`).test(docs));
  expect(missing).toEqual([]);
});
