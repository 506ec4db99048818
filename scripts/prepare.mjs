// npm runs this after `npm ci`, before a pack, and for an install from git. There npm leaves out what the build needs if the outer
// install is a global one or omits development dependencies: then they are installed here first.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
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
