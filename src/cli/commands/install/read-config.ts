import { readFile, readlink } from 'node:fs/promises';
import { unusableConfig } from './unusable.ts';

/** A client's configuration; null when there is none. Throws FILE_UNREADABLE, also for a link that leads nowhere. */
export async function readConfig(file: string): Promise<string | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      throw unusableConfig(file, (cause as Error).message);
    const target = await readlink(file).catch(() => null);
    if (target === null) return null;
    throw unusableConfig(file, `it is a link to ${target}, which is not there`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusableConfig(file, 'it is not UTF-8');
  }
}
