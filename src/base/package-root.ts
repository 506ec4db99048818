import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

declare const __KAIROS_VERSION__: string | undefined;

/** Version of the tool as in package.json; `0.0.0-source` when run unbundled. */
export const VERSION: string = typeof __KAIROS_VERSION__ === 'string' ? __KAIROS_VERSION__ : '0.0.0-source';

/** Absolute path of a file of this package, for both the source and the bundle. */
export function packageFile(relative: string): string {
  return join(packageRoot(), relative);
}

let root: string | null = null;

function packageRoot(): string {
  if (root !== null) return root;
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the package of kairos was not found');
    folder = parent;
  }
  root = folder;
  return folder;
}
