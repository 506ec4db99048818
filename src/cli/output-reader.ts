import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { KairosError } from '../base/errors.ts';
import { isInside } from '../host/commands/workdir.ts';
import type { OperationContext } from '../operations/context.ts';
import type { OutputReader } from '../proof/output-reader.ts';
import type { CliIo } from './io.ts';

/** Flags that say which files may be read. */
export interface ReadingOptions {
  workdir?: string;
  root?: string[];
}

/** A reader of outputs in these folders (absolute), loaded when a file is to be read. */
export function outputReader(workdir: string | null, roots: readonly string[] = []): OutputReader {
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

/** The context of a walk at the command line: outputs are read where its commands run, and below `--root`. */
export async function withWalkFolders(
  ctx: OperationContext,
  { cwd }: Pick<CliIo, 'cwd'>,
  { workdir = '.', root = [] }: ReadingOptions,
): Promise<OperationContext> {
  const [work, roots] = [await folderAt(cwd, workdir), await foldersAt(cwd, root)];
  return { ...ctx, outputs: outputReader(work, roots) };
}

/**
 * The folders that a server reads outputs in. `--workdir`; else where it was started, unless whoever calls may sit
 * elsewhere (HTTP without `--execute`), or that folder holds everything: the root, or a folder with somebody's home in it.
 */
export async function servedFolders(
  { cwd }: Pick<CliIo, 'cwd'>,
  { workdir, root = [], http, execute }: ReadingOptions & { http?: string; execute?: boolean },
): Promise<OutputReader> {
  const roots = await foldersAt(cwd, root);
  if (workdir !== undefined) return outputReader(await folderAt(cwd, workdir), roots);
  const isHere = http === undefined || execute === true;
  return outputReader(isHere && !(await holdsHome(cwd)) ? cwd : null, roots);
}

async function holdsHome(folder: string): Promise<boolean> {
  const [real, home] = await Promise.all([folder, homedir()].map((path) => realpath(path).catch(() => path)));
  return real === undefined || home === undefined || isInside(real, home);
}

async function foldersAt(cwd: string, folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map((folder) => folderAt(cwd, folder)));
}

/** As it was named, so that paths which repeat that name are understood; FILE_UNREADABLE when it is not there. */
async function folderAt(cwd: string, folder: string): Promise<string> {
  const path = resolve(cwd, folder);
  await realpath(path).catch((cause) => {
    throw new KairosError('FILE_UNREADABLE', `the folder ${path} cannot be read`, { cause });
  });
  return path;
}
