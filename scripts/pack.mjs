// npm runs this around a pack: `node scripts/pack.mjs prepack` builds, and removes `prepare` from package.json, because the package
// does not contain that script and npm would ask its user to allow it. `postpack` restores package.json.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = `${root}package.json`;
const folder = `${root}node_modules/.cache`;
const kept = `${folder}/package.json`;

if (process.argv[2] === 'prepack') {
  const { status } = spawnSync(process.execPath, [`${root}scripts/prepare.mjs`], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
  mkdirSync(folder, { recursive: true });
  copyFileSync(manifest, kept);
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/^ *"prepare": .*\n/m, ''));
} else {
  renameSync(kept, manifest);
}
