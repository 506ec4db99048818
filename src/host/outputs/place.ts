import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import type { OutputReader } from '../../proof/outputs.ts';
import type { RunPlace, StepNames } from '../../run/ports.ts';
import { homeFolder, isInside } from '../files/paths.ts';

/** Options for the files that may be read. */
export interface ReadingOptions {
  workdir?: string;
  root?: string[];
}

/**
 * The place of a server: `--workdir`, else the folder where it was started. No folder for HTTP without `--execute`, whose
 * callers may be on other machines, or for a folder that contains the user's home.
 */
export async function servedPlace(
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
  options: ReadingOptions & { http?: string; execute?: boolean },
  host: string,
): Promise<RunPlace> {
  const { workdir, root = [], http, execute } = options;
  const isHere = http === undefined || execute === true;
  const named = workdir ?? (isHere && !(await holdsHome(cwd, env)) ? '.' : null);
  return placeAt(cwd, host, named, root);
}

/** Folders as a place. Throws FILE_UNREADABLE for a missing one. */
export async function placeAt(
  cwd: string,
  host: string,
  workdir: string | null,
  root: readonly string[],
): Promise<RunPlace> {
  const named = [...(workdir === null ? [] : [workdir]), ...root].map((folder) => resolve(cwd, folder));
  const real = await Promise.all(named.map((path) => realFolder(path)));
  const names = named.filter((path) => !real.includes(path));
  return {
    host,
    workdir: workdir === null ? null : real[0]!,
    roots: workdir === null ? real : real.slice(1),
    ...(names.length === 0 ? {} : { names }),
  };
}

/** Links resolved. Throws FILE_UNREADABLE for a missing folder. */
export async function realFolder(path: string, hint?: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new KairosError('FILE_UNREADABLE', `the folder ${path} cannot be read`, {
      cause,
      ...(hint !== undefined ? { hint } : {}),
    });
  }
}

/** Resolves what the names in steps stand for, with the environment of a person. Loaded with the first server. */
export function stepNames(env: NodeJS.ProcessEnv): StepNames {
  return {
    linkedFolder,
    commands: async () => {
      const { startedFiles } = await import('../commands/started-files.ts');
      return ({ cmd, workdir = '.', env: names = [] }, folder) => ({
        values: Object.fromEntries(names.map((name) => [name, env[name]])),
        files: startedFiles(cmd, resolve(folder, workdir)),
      });
    },
    server: async (name, cwd) => {
      const { namedServer } = await import('../mcp-client/resolve-server.ts');
      return namedServer(name, { cwd, env });
    },
  };
}

/** Where `folder` below a place is, if a link leads elsewhere than its path; undefined if none does or it can't be read. */
function linkedFolder({ workdir }: Pick<RunPlace, 'workdir'>, folder: string): string | undefined {
  if (workdir === null) return undefined;
  const written = resolve(workdir, folder);
  try {
    const real = realpathSync(written);
    return real === written ? undefined : real;
  } catch {
    return undefined;
  }
}

/** A reader of the outputs of a place, loaded with the first file. */
export function readerOf({ workdir, roots, names = [] }: RunPlace): OutputReader {
  let loaded: Promise<OutputReader> | undefined;
  const load = () => {
    loaded ??= import('./reader.ts').then(({ makeOutputReader }) => makeOutputReader(workdir, roots, names));
    return loaded;
  };
  return {
    folders: async () => (await load()).folders(),
    read: async (outputs, within) => (await load()).read(outputs, within),
  };
}

async function holdsHome(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [real, home] = await Promise.all(
    [folder, homeFolder(env)].map((path) => realpath(path).catch(() => path)),
  );
  return real === undefined || home === undefined || isInside(real, home);
}
