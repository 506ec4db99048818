import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import type { UserFolders } from '../files/paths.ts';
import { createFile, ensurePrivateFolder, readPrivateFile } from '../files/private-files.ts';

/** Where the key lies in the data folder. */
const FILE = join('keys', 'handover.key');

/** The key of the MAC on handover notes (32 bytes, in hex), created when missing. Throws KEY_UNUSABLE. */
export async function loadHandoverKey({ data }: Pick<UserFolders, 'data'>): Promise<Uint8Array> {
  const path = join(data, FILE);
  try {
    await ensurePrivateFolder(dirname(path));
    let text = await readPrivateFile(path, 'closed');
    if (text === null) {
      await createFile(path, `${randomBytes(32).toString('hex')}\n`);
      // Another process may have been faster: its key counts.
      text = await readPrivateFile(path, 'closed');
    }
    if (!/^[0-9a-f]{64}\n$/.test(text ?? '')) throw new Error('it contains no key');
    return Buffer.from(text!.trim(), 'hex');
  } catch (cause) {
    throw new KairosError(
      'KEY_UNUSABLE',
      `the key of handover files ${path} cannot be used: ${(cause as Error).message}`,
      { hint: 'Restrict it to yourself (chmod 600), or remove it to have a new one made.', cause },
    );
  }
}
