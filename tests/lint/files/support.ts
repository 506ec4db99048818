import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of its own with these files; a path that ends with a slash is an empty folder. */
export function makeFolder(files: Record<string, string>): { path: string; remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-lint-')));
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, name);
    mkdirSync(name.endsWith('/') ? file : dirname(file), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(file, text);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
