// npm runs this after `npm ci`, before a pack, and for an install from git. There npm leaves out what the build needs if the outer
// install is a global one or omits development dependencies: then they are installed here first.
import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Settings of the outer install that would send the inner one elsewhere; the registry and the cache stay. */
const OUTER =
  /^npm_config_(?:global|prefix|location|local_prefix|omit|include|production|only|dev|save|install_links|allow_git|dry_run|workspaces?)$/i;
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !OUTER.test(name) && name !== 'NODE_ENV'),
);

if (!hasBuildTools()) npm('ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund');
npm('run', 'build');
unlinkClone();

/**
 * A global install from git: npm links its clone into the global folder, deletes the clone, and unpacks the package through that
 * link. So the link becomes a folder with what npm still looks for in it.
 */
function unlinkClone() {
  const { npm_config_global: isGlobal, npm_config_prefix: prefix } = process.env;
  if (isGlobal !== 'true' || prefix === undefined || !/[\\/]git-clone[^\\/]*[\\/]$/.test(root)) return;
  const path = join(prefix, process.platform === 'win32' ? '' : 'lib', 'node_modules', 'kairos-protocols');
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  if (realpathSync(path) !== realpathSync(root)) return;
  rmSync(path);
  for (const folder of ['bin', 'man']) cpSync(join(root, folder), join(path, folder), { recursive: true });
}

function hasBuildTools() {
  try {
    for (const name of ['esbuild', 'rollup']) createRequire(`${root}package.json`).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function npm(...args) {
  const { npm_execpath: program } = process.env;
  const [command, first] = program === undefined ? ['npm', []] : [process.execPath, [program]];
  const shell = program === undefined && process.platform === 'win32';
  const { status, error } = spawnSync(command, [...first, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 2, 2],
    shell,
  });
  if (status === 0) return;
  console.error(`npm ${args.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`);
  process.exit(1);
}
