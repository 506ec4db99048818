// Writes schemas/*.json: what `kairos schema` prints, for editors that read a file. Run it after a build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const kairos = (...args) =>
  execFileSync(process.execPath, [`${root}bin/kairos.js`, 'schema', ...args], { encoding: 'utf8' });

mkdirSync(`${root}schemas`, { recursive: true });
for (const { name } of JSON.parse(kairos('--json')).schemas) {
  writeFileSync(`${root}schemas/${name}.json`, kairos(name));
}
