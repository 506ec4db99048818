import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const THOROUGH = join('support', 'thorough.ts');

/** The test files under a folder that import `support/thorough.ts`, by themselves or through another file: they try fewer cases in `unit`. */
export function thoroughFiles(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));
  const imports = new Map(paths.map((path) => [path, importsOf(path)]));
  const found = new Set([join(folder, THOROUGH)]);
  // A set is also walked through what is added on the way.
  for (const source of found) {
    for (const [path, sources] of imports) if (sources.includes(resolve(source))) found.add(path);
  }
  return [...found].filter((path) => path.endsWith('.test.ts')).toSorted();
}

function importsOf(path: string): string[] {
  const imports = readFileSync(path, 'utf8').matchAll(/^\S[^'\n]* from '(\.[^'\n]+)'/gm);
  return [...imports].map(([, to = '']) => resolve(dirname(path), to));
}
