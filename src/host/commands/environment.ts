import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { isPassed } from '../../base/passed-variables.ts';

interface CommandEnvironment {
  env: Record<string, string>;
  /** Names that the step asked for and that are not set. */
  missing: string[];
}

/** The environment of a command (SPEC 8): the allowlist and `LC_*`, plus what the step's `env` names. Nothing else. */
export function commandEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = [],
): CommandEnvironment {
  const asked = new Set(names);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    if (isPassed(name) || asked.has(name)) env[name] = value;
  }
  return { env, missing: [...asked].filter((name) => !Object.hasOwn(env, name)) };
}

/**
 * The directory of a step's command: `workdir` below `root`, links resolved. Throws INVALID_INPUT if it
 * leaves the root, by `..` or through a link, doesn't exist or isn't a directory.
 */
export async function resolveWorkdir(root: string, workdir = '.'): Promise<string> {
  const refuse = (reason: string, cause?: unknown) =>
    new KairosError('INVALID_INPUT', `workdir ${JSON.stringify(workdir)} ${reason}`, {
      hint: `Name a directory inside ${root}.`,
      cause,
    });
  if (workdir.includes('\0')) throw refuse('contains a NUL character');
  if (workdir.split(/[\\/]/).includes('..')) throw refuse('must not go upwards with ".."');

  const top = await realpath(root).catch((cause) => {
    throw new KairosError('FILE_UNREADABLE', `the working directory ${root} cannot be read`, { cause });
  });
  const real = await realpath(resolve(top, workdir)).catch((cause) => {
    throw refuse('does not exist', cause);
  });
  if (!isInside(top, real)) throw refuse('lies outside the working directory');
  if (!(await stat(real)).isDirectory()) throw refuse('is not a directory');
  return real;
}

/** True when `path` is `root` or below it. Both are absolute with links resolved. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
