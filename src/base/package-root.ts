import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

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
