import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { keyFingerprint } from '../../ledger/seal.ts';
import type { UserFolders } from '../files/paths.ts';
import { loadSealingKey, SEALING_KEY_FILE } from './sealing-key.ts';

/** Fingerprint of the key that seals for this user, or null when none has been made yet; none is made here. */
export async function ownKeyFingerprint(
  { folders }: { folders: UserFolders },
  cwd: string,
): Promise<string | null> {
  const made = await access(join(folders.data, SEALING_KEY_FILE)).then(
    () => true,
    () => false,
  );
  return made ? keyFingerprint((await loadSealingKey(folders, cwd)).publicKey) : null;
}
