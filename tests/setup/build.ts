import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The end-to-end tests run the bundle, so it is built afresh before any test. */
export default function setup(): void {
  if (process.env.KAIROS_TEST_NO_BUILD === '1') return;
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
}
