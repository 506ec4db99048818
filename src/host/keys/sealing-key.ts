import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { canonical, hmacHex, sha256Hex } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import { keyFingerprint, type SealingKey, type SigningKey } from '../../ledger/seal.ts';
import type { ValueDigest } from '../../run/ports.ts';
import type { UserFolders } from '../files/paths.ts';
import {
  createFile,
  ensurePrivateFolder,
  exists,
  loadRandomKey,
  projectTree,
  readPrivateFile,
} from '../files/private-files.ts';
import { agentKey } from '../ssh/sign.ts';

/** Path of the key in the data folder. */
export const SEALING_KEY_FILE = join('keys', 'sealing-key.pem');
/** Path of the public half of an ssh-agent key. It comes first. */
export const AGENT_KEY_FILE = join('keys', 'sealing-key.pub');
/** Signed statements of keys that were replaced, one a line. */
export const RETIRED_KEYS_FILE = join('keys', 'retired.jsonl');

/**
 * The ed25519 key that seals ledgers: held by the ssh-agent at `agent`, or a file (PKCS #8, PEM), created when missing;
 * concurrent processes get the same key. Throws KEY_UNUSABLE when others have access to it, when it is a link or not such a key, or when the
 * data folder is in the project tree around `cwd` without being chosen by KAIROS_DATA_DIR.
 */
export async function loadSealingKey(
  folders: UserFolders,
  cwd: string,
  agent = process.env.SSH_AUTH_SOCK,
): Promise<SigningKey> {
  const path = join(folders.data, SEALING_KEY_FILE);
  try {
    if (!folders.dataIsChosen) await refuseInsideProject(folders.data, cwd);
    await ensurePrivateFolder(dirname(path));
    const held = await readPrivateFile(join(folders.data, AGENT_KEY_FILE), 'readable');
    if (held !== null) return agentKey(held, agent);
    return parsePrivateKey((await readPrivateFile(path, 'closed')) ?? (await make(path)));
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

/**
 * 32 bytes for one purpose, the same in every process with this sealing key; they do not reveal the key. Of a key that is
 * held elsewhere they come from a signature, which ed25519 makes the same each time.
 */
export async function derivedKey(key: SigningKey, purpose: string): Promise<Uint8Array> {
  const secret =
    'privateKey' in key
      ? key.privateKey.export({ type: 'pkcs8', format: 'der' })
      : await key.sign(Buffer.from(`kairos.derive.v1\n${purpose}`));
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Path of the key of value digests in the data folder. */
const VALUES_KEY_FILE = join('keys', 'values.key');

/** The digests with the key of this data folder, which is created when missing. Throws KEY_UNUSABLE. */
export async function loadValueDigest({ data }: Pick<UserFolders, 'data'>): Promise<ValueDigest> {
  return valueDigest(await loadRandomKey(join(data, VALUES_KEY_FILE), 'the key of value digests'));
}

/** Digests with this key. The text is `kairos.value.v1`, a line feed, and the canonical JSON of name, run_id and value. */
function valueDigest(key: Uint8Array): ValueDigest {
  const keyId = hmacHex(key, 'kairos.value.v1').slice(0, 16);
  return (run_id, name, value) =>
    `${keyId}:${hmacHex(key, `kairos.value.v1\n${canonical({ run_id, name, value })}`)}`;
}

async function make(path: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await createFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const text = await readPrivateFile(path, 'closed'); // another process may have been faster: its key counts
  if (text === null) throw new Error('it was removed again');
  return text;
}

/** An ed25519 key out of PKCS #8 PEM. Throws a plain Error that states what else it is. */
export function parsePrivateKey(pem: string): SealingKey {
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

async function realpathAsFarAsThere(path: string): Promise<string> {
  if (await exists(path)) return realpath(path);
  const parent = dirname(path);
  return parent === path ? path : join(await realpathAsFarAsThere(parent), basename(path));
}

/** The fingerprint of this user's key, then those of its predecessors; none without a key. None is made here. */
export async function ownKeyFingerprints(
  { folders }: { folders: UserFolders },
  cwd: string,
): Promise<string[]> {
  const made = await Promise.all(
    [SEALING_KEY_FILE, AGENT_KEY_FILE].map((file) => exists(join(folders.data, file)).catch(() => false)),
  );
  if (!made.includes(true)) return [];
  const { publicKey } = await loadSealingKey(folders, cwd);
  return [keyFingerprint(publicKey), ...(await retiredKeys(folders)).map(({ fingerprint }) => fingerprint)];
}

/** A replaced key. `statement`: signed by it, names its successor (`to`) and the time. */
export interface RetiredKey {
  fingerprint: string;
  statement: string;
}

/** Replaced sealing keys, newest first. */
export async function retiredKeys(folders: UserFolders): Promise<RetiredKey[]> {
  const text = await readFile(join(folders.data, RETIRED_KEYS_FILE), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.reverse().map((statement) => {
    const { public_key: key } = JSON.parse(statement) as { public_key: string };
    return { fingerprint: sha256Hex(Buffer.from(key, 'base64')), statement };
  });
}
