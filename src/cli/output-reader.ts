import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KairosError } from '../base/errors.ts';
import { isInside } from '../host/commands/workdir.ts';
import { homeFolder } from '../host/files/paths.ts';
import type { OutputReader } from '../proof/output-reader.ts';
import type { Place } from '../run/place.ts';
import type { CliIo } from './io.ts';

/** Flags that say which files may be read. */
export interface ReadingOptions {
  workdir?: string;
  root?: string[];
}

/** A reader of outputs in these folders (absolute), loaded when a file is to be read. */
function outputReader(workdir: string | null, roots: readonly string[] = []): OutputReader {
  let loaded: Promise<OutputReader> | undefined;
  const load = () => {
    loaded ??= import('../host/outputs/reader.ts').then(({ makeOutputReader }) =>
      makeOutputReader(workdir, roots),
    );
    return loaded;
  };
  return {
    folders: async () => (await load()).folders(),
    read: async (outputs, within) => (await load()).read(outputs, within),
  };
}

/**
 * The place of a server. `--workdir`; else where it was started, unless whoever calls may sit elsewhere (HTTP without
 * `--execute`), or that folder holds everything: the root, or a folder with somebody's home in it.
 */
export async function servedPlace(
  { cwd, env }: Pick<CliIo, 'cwd' | 'env'>,
  options: ReadingOptions & { http?: string; execute?: boolean },
  host: string,
): Promise<NamedPlace> {
  const { workdir, root = [], http, execute } = options;
  const isHere = http === undefined || execute === true;
  const named = workdir ?? (isHere && !(await holdsHome(cwd, env)) ? '.' : null);
  return placeAt(cwd, host, named, root);
}

/** A place, and its folders as they were named: paths that repeat such a name are understood. */
export interface NamedPlace {
  place: Place;
  names: string[];
}

/** Folders as a place. Throws FILE_UNREADABLE for one that is not there. */
export async function placeAt(
  cwd: string,
  host: string,
  workdir: string | null,
  root: readonly string[],
): Promise<NamedPlace> {
  const names = [...(workdir === null ? [] : [workdir]), ...root].map((folder) => resolve(cwd, folder));
  const real = await Promise.all(names.map((path) => realFolder(path)));
  const place = {
    host,
    workdir: workdir === null ? null : real[0]!,
    roots: workdir === null ? real : real.slice(1),
  };
  return { place, names };
}

/** Links resolved. Throws FILE_UNREADABLE for a folder that is not there. */
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

/** A reader of the outputs of a place. */
export function readerOf({ workdir, roots }: Place, names: readonly string[] = []): OutputReader {
  return outputReader(workdir, [...roots, ...names]);
}

async function holdsHome(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [real, home] = await Promise.all(
    [folder, homeFolder(env)].map((path) => realpath(path).catch(() => path)),
  );
  return real === undefined || home === undefined || isInside(real, home);
}
