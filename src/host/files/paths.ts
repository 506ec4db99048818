import { realpathSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where kairos keeps what belongs to the user and not to a project. Nothing is made here. */
export interface UserFolders {
  /** Null for a user without a home folder. */
  home: string | null;
  /** Store, keys, trust. */
  data: string;
  /** Configuration and policy. */
  config: string;
  /** The data folder was chosen by KAIROS_DATA_DIR. */
  dataIsChosen: boolean;
  /** The environment (KAIROS_CONFIG_DIR, XDG_CONFIG_HOME) puts the configuration folder elsewhere than usual. */
  configIsMoved: boolean;
}

/**
 * KAIROS_DATA_DIR and KAIROS_CONFIG_DIR (absolute or below `~`; else USAGE), or the platform's usual places: the XDG base
 * directories on Linux and its like, `Library` on macOS, `AppData` on Windows.
 */
export function userFolders(env: Environment): UserFolders {
  const data = chosen(env, 'KAIROS_DATA_DIR');
  const config = chosen(env, 'KAIROS_CONFIG_DIR') ?? usualFolder('config', env);
  return {
    home: homeOrNone(env),
    data: data ?? usualFolder('data', env),
    config,
    dataIsChosen: data !== undefined,
    configIsMoved: resolve(config) !== usualConfig(env),
  };
}

function usualFolder(kind: 'data' | 'config', env: Environment): string {
  const isData = kind === 'data';
  if (process.platform === 'darwin')
    return join(homeFolder(env), 'Library', isData ? 'Application Support' : 'Preferences', 'kairos');
  if (process.platform === 'win32') {
    const { LOCALAPPDATA, APPDATA } = env;
    const base =
      (isData ? LOCALAPPDATA : APPDATA) || join(homedir(), 'AppData', isData ? 'Local' : 'Roaming');
    return join(base, 'kairos', isData ? 'Data' : 'Config');
  }
  const base = isData ? env.XDG_DATA_HOME : env.XDG_CONFIG_HOME;
  const fallback = isData ? '.local/share' : '.config';
  return join(base && isAbsolute(base) ? base : join(homeFolder(env), fallback), 'kairos');
}

/** `$HOME`, else the home folder in the system's user database. Throws USAGE for a user who has neither. */
export function homeFolder(env: Environment): string {
  if (env.HOME) return env.HOME;
  try {
    return userInfo().homedir;
  } catch (cause) {
    throw new KairosError('USAGE', 'HOME is not set and the system has no home folder for this user', {
      hint: 'Set HOME, or KAIROS_DATA_DIR and KAIROS_CONFIG_DIR, to absolute paths.',
      cause,
    });
  }
}

/**
 * The home folder in the system's user database, not of HOME. Null for a user who isn't in it, and for an account
 * whose home folder is missing or belongs to another one, such as those of services.
 */
export function accountHome(): string | null {
  let folder: string | null = null;
  try {
    folder = userInfo().homedir;
    const { uid } = statSync(folder);
    return uid === (process.getuid?.() ?? uid) ? folder : null;
  } catch (error) {
    // A home folder that can't be looked at is there.
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? folder : null;
  }
}

function homeOrNone(env: Environment): string | null {
  try {
    return homeFolder(env);
  } catch {
    return null;
  }
}

/** Null for a user without a home folder, who has no usual place. */
function usualConfig(env: Environment): string | null {
  return homeOrNone(env) === null ? null : usualFolder('config', { ...env, XDG_CONFIG_HOME: undefined });
}

/** Replaces a leading `~` with the home folder. Shells leave it in quotes. */
export function belowHome(path: string, env: Environment): string {
  const below = /^~(?:[\\/](?<below>.*))?$/s.exec(path);
  return below === null ? path : join(homeFolder(env), below.groups?.below ?? '');
}

function chosen(env: Environment, name: string): string | undefined {
  const given = env[name];
  if (given === undefined || given === '') return undefined;
  const path = belowHome(given, env);
  if (!isAbsolute(path)) {
    throw new KairosError('USAGE', `${name} is not an absolute path: ${path}`, {
      hint: `Set ${name} to an absolute path.`,
    });
  }
  return path;
}

/** The path without links, or itself if it does not exist. Synchronous, which is faster than to start threads. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** True when `path` is `root` or below it. Both are absolute with links resolved. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
