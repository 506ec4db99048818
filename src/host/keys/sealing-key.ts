import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { access, lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { keyFingerprint, type SealingKey } from '../../ledger/seal.ts';
import type { UserFolders } from '../files/paths.ts';
import { createFile, ensurePrivateFolder, readPrivateFile } from '../files/private-files.ts';

/** Where the key lies in the data folder. */
export const SEALING_KEY_FILE = join('keys', 'sealing-key.pem');

/**
 * The ed25519 key that seals ledgers (PKCS #8, PEM), created when missing; concurrent processes get the same
 * key. Throws KEY_UNUSABLE when others have access to it, when it is a link or not such a key, or when the
 * data folder is in the project tree around `cwd` without being chosen by KAIROS_DATA_DIR.
 */
export async function loadSealingKey(folders: UserFolders, cwd: string): Promise<SealingKey> {
  const path = join(folders.data, SEALING_KEY_FILE);
  try {
    if (!folders.dataIsChosen) await refuseInsideProject(folders.data, cwd);
    await ensurePrivateFolder(dirname(path));
    return parse((await readPrivateFile(path, 'closed')) ?? (await make(path)));
  } catch (cause) {
    throw new KairosError(
      'KEY_UNUSABLE',
      `the sealing key ${path} cannot be used: ${(cause as Error).message}`,
      {
        hint: 'Restrict its folder to you (chmod 700) and the file too (chmod 600), or move it away to have a new one made.',
        cause,
      },
    );
  }
}

/** 32 bytes for one purpose, the same in every process with this sealing key; they do not reveal the key. */
export function derivedKey({ privateKey }: SealingKey, purpose: string): Uint8Array {
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' });
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

async function make(path: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await createFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const text = await readPrivateFile(path, 'closed'); // another process may have been faster: its key counts
  if (text === null) throw new Error('it was removed again');
  return text;
}

function parse(pem: string): SealingKey {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch (cause) {
    throw new Error('it contains no private key', { cause });
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('it is not an ed25519 key');
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

async function refuseInsideProject(data: string, cwd: string): Promise<void> {
  const project = await projectTree(cwd);
  if (project === null) return;
  const folder = await realpathAsFarAsThere(data);
  if (folder !== project && !folder.startsWith(project === '/' ? '/' : `${project}/`)) return;
  throw new KairosError('KEY_UNUSABLE', `the sealing key would lie inside the project ${project}: ${data}`, {
    hint: 'Set KAIROS_DATA_DIR to a folder that you own; setting it to this folder confirms that you want it there.',
  });
}

/** The nearest folder at or above `cwd` that is under version control. */
async function projectTree(cwd: string): Promise<string | null> {
  for (let folder = await realpath(cwd); ; folder = dirname(folder)) {
    for (const name of ['.git', '.hg', '.jj', '.svn']) {
      if (await exists(join(folder, name))) return folder;
    }
    if (folder === dirname(folder)) return null;
  }
}

async function realpathAsFarAsThere(path: string): Promise<string> {
  if (await exists(path)) return realpath(path);
  const parent = dirname(path);
  return parent === path ? path : join(await realpathAsFarAsThere(parent), basename(path));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

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
