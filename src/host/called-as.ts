import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join, sep } from 'node:path';

/** The part of `process` that shows how it was started. */
export interface ProcessStart {
  argv: readonly string[];
  execPath: string;
  env: NodeJS.ProcessEnv;
}

const PACKAGE = 'kairos-protocols';
/** Folders from which package managers run a package that is not installed. */
const RUNNERS = [
  [/[\\/]_npx[\\/]/, ['npx']],
  [/[\\/]xfs-\w+[\\/]/, ['yarn', 'dlx']],
  [/[\\/]dlx(?:-[\w.-]+)?[\\/]/, ['pnpm', 'dlx']],
  [/[\\/]bunx-[^\\/]+[\\/]/, ['bunx']],
] as const;

/**
 * The words with which this program can be started again from a shell, in any folder: `kairos` where that name leads here,
 * else the package runner that started it without installing it, else Node.js and the whole path of the script.
 */
export function calledAs(start: ProcessStart): readonly string[] {
  const [, script = ''] = start.argv;
  const { env, execPath } = start;
  for (const name of new Set(['kairos', basename(script)])) {
    if (isOnPath(name, script, env)) return [name];
  }
  for (const [folder, words] of RUNNERS) {
    if (folder.test(script)) return [...words, words[0] === 'npx' ? npxPackage(script) : PACKAGE];
  }
  return [lookUp('node', env) === undefined ? execPath : 'node', script];
}

/** Whether the name starts this script: it is a link to it, or a launcher of the package that a package manager wrote. */
function isOnPath(name: string, script: string, env: NodeJS.ProcessEnv): boolean {
  const found = lookUp(name, env);
  if (found === undefined) return false;
  if (realPath(found) === realPath(script)) return true;
  const text = readStart(found);
  return text.startsWith('#!') && text.includes(`/${PACKAGE}/`);
}

/** The file that a shell starts for a name. npm adds folders to PATH for its own processes; the user's shell doesn't have them. */
function lookUp(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const byNpm = env.npm_command !== undefined || env.npm_lifecycle_event !== undefined;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const names = process.platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name];
  return folders
    .filter((folder) => !byNpm || !folder.endsWith(join('node_modules', '.bin')))
    .flatMap((folder) => names.map((each) => join(folder, each)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readStart(path: string): string {
  try {
    return readFileSync(path, 'latin1').slice(0, 8192);
  } catch {
    return '';
  }
}

/** What npx was asked for, such as a tarball or a version; npx notes it in the package of its cache. */
function npxPackage(script: string): string {
  try {
    const cache = script.slice(0, script.lastIndexOf(`${sep}node_modules${sep}`));
    const { _npx } = JSON.parse(readFileSync(join(cache, 'package.json'), 'utf8')) as {
      _npx?: { packages?: unknown[] };
    };
    const [asked] = _npx?.packages ?? [];
    if (typeof asked !== 'string' || asked === '') return PACKAGE;
    // A bare path is a program for npx, not a package.
    return isAbsolute(asked) ? `file:${asked}` : asked;
  } catch {
    return PACKAGE;
  }
}
