import { resolve } from 'node:path';
import type { UserFolders } from '../host/files/paths.ts';
import type { Handover } from '../run/ports.ts';
import type { CliIo } from './io.ts';

/** The file that KAIROS_HANDOVER_FILE names, loaded when it is used; undefined when it names none. */
export function openHandover(
  { env, cwd }: Pick<CliIo, 'env' | 'cwd'>,
  folders: UserFolders,
  warn: (reason: string) => void,
): Handover | undefined {
  const name = env.KAIROS_HANDOVER_FILE;
  if (name === undefined || name === '') return undefined;
  const open = async (): Promise<Handover> => {
    const { handoverFile } = await import('../host/handover/handover-file.ts');
    const { loadHandoverKey } = await import('../host/handover/handover-file.ts');
    return handoverFile({ path: resolve(cwd, name), key: () => loadHandoverKey(folders), warn });
  };
  return {
    read: async () => (await open()).read(),
    write: async (note) => (await open()).write(note),
    remove: async (runId) => (await open()).remove(runId),
  };
}
