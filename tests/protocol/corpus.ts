import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Real documents, when they are at hand; they are no part of the project. */
const folder = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));

export const hasCorpus = existsSync(folder);

export function corpusFiles(kind: 'protocols' | 'runbooks'): { name: string; source: string }[] {
  if (!hasCorpus) return [];
  return readdirSync(`${folder}${kind}`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => ({ name, source: readFileSync(`${folder}${kind}/${name}`, 'utf8') }));
}
