import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { KairosError } from '../base/errors.ts';
import { isInside } from '../exec/workdir.ts';
import type { OutputReader } from '../ports/outputs.ts';
import type { OperationContext } from '../run/context.ts';
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
    loaded ??= import('../exec/outputs/reader.ts').then(({ makeOutputReader }) =>
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
  const [work, ...roots] = await Promise.all(
    [workdir, ...root].map((folder) => realFolder(resolve(cwd, folder))),
  );
  return { ...ctx, outputs: outputReader(work ?? null, roots) };
}

/**
 * The folders that a server reads outputs in. `--workdir`; else where it was started, unless whoever calls may sit
 * elsewhere (HTTP without `--execute`), or that folder holds everything: the root, or a folder with somebody's home in it.
 */
export async function servedFolders(
  { cwd }: Pick<CliIo, 'cwd'>,
  { workdir, root = [], http, execute }: ReadingOptions & { http?: string; execute?: boolean },
): Promise<OutputReader> {
  const roots = await Promise.all(root.map((folder) => realFolder(resolve(cwd, folder))));
  if (workdir !== undefined) return outputReader(await realFolder(resolve(cwd, workdir)), roots);
  const here = http === undefined || execute === true ? await realFolder(cwd) : null;
  const holdsAll = here !== null && isInside(here, await realpath(homedir()).catch(() => homedir()));
  return outputReader(holdsAll ? null : here, roots);
}

async function realFolder(path: string): Promise<string> {
  return realpath(path).catch((cause) => {
    throw new KairosError('FILE_UNREADABLE', `the working directory ${path} cannot be read`, { cause });
  });
}
