import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { KairosError } from '../../base/errors.ts';

/** Linux and its like, where the XDG base directories apply. */
const isXdg = process.platform !== 'darwin' && process.platform !== 'win32';
/** Loaded only where it is used: it reads the home folder immediately, and fails for a user without one. */
const envPaths = isXdg ? null : (await import('env-paths')).default;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where kairos keeps what belongs to the user and not to a project. Nothing is made here. */
export interface UserFolders {
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
  const usual = envPaths?.('kairos', { suffix: '' });
  const atHome = (folder: string) => join(homeFolder(env), folder);
  const xdg = (name: string, fallback: string) => {
    const base = env[name];
    return join(base && isAbsolute(base) ? base : atHome(fallback), 'kairos');
  };
  const data = chosen(env, 'KAIROS_DATA_DIR');
  const config = chosen(env, 'KAIROS_CONFIG_DIR') ?? usual?.config ?? xdg('XDG_CONFIG_HOME', '.config');
  return {
    data: data ?? usual?.data ?? xdg('XDG_DATA_HOME', '.local/share'),
    config,
    dataIsChosen: data !== undefined,
    configIsMoved: resolve(config) !== (usual?.config ?? usualConfig(env)),
  };
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

/** Null for a user without a home folder, who has no usual place. */
function usualConfig(env: Environment): string | null {
  try {
    return join(homeFolder(env), '.config', 'kairos');
  } catch {
    return null;
  }
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
