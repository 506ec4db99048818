// `node scripts/test-on-node.mjs VERSION ARGS...`: runs vitest with another major version of Node, which npm installs as a
// package into a folder outside of the project. Inside, its binary would replace `node` in the project's scripts.
// `--get` instead of arguments only installs it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [version, ...args] = process.argv.slice(2);
if (!/^\d+$/.test(version ?? '')) {
  console.error('Usage: node scripts/test-on-node.mjs MAJOR [--get | vitest arguments]');
  process.exit(2);
}
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(process.env.KAIROS_NODES ?? join(tmpdir(), 'kairos-nodes'), version);
const binary = join(folder, 'node_modules/node/bin/node');
if (!existsSync(binary)) {
  mkdirSync(folder, { recursive: true });
  run('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `node@${version}`]);
}
if (args[0] === '--get') process.exit();
const path = [dirname(binary), process.env.PATH].join(':');
// Programs that are started many times are compiled once.
const NODE_COMPILE_CACHE = join(folder, 'compiled');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
run(binary, [vitest, 'run', ...args], { ...process.env, PATH: path, NODE_COMPILE_CACHE });

function run(program, args, env = process.env) {
  const { status } = spawnSync(program, args, { stdio: 'inherit', cwd: root, env });
  if (status !== 0) process.exit(status ?? 1);
}
