import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { WireFault, WireReader } from '../../gate/approval/ssh-key.ts';
import { signRecord } from '../../ledger/beside.ts';
import { keyFingerprint, type SealingKey, type SigningKey, signBytes } from '../../ledger/seal.ts';
import type { UserFolders } from '../files/paths.ts';
import { createFile, ensurePrivateFolder, readPrivateFile, replaceFile } from '../files/private-files.ts';
import { agentKey, agentKeys, readEd25519 } from '../ssh/sign.ts';
import {
  AGENT_KEY_FILE,
  loadSealingKey,
  ownKeyFingerprints,
  parsePrivateKey,
  RETIRED_KEYS_FILE,
  retiredKeys,
  SEALING_KEY_FILE,
} from './sealing-key.ts';

/** A key and the text that keeps it: a private PEM, or the `.pub` line of a key in ssh-agent. */
export interface KeptKey {
  key: SigningKey;
  kept: { pem: string } | { line: string };
}

export function newKey(): KeptKey {
  return keptPrivate(generateKeyPairSync('ed25519'));
}

/**
 * Reads a key that signs: an ed25519 private key (PKCS #8 PEM, or OpenSSH without a passphrase), or a `.pub` file whose key
 * ssh-agent has. Throws KEY_UNUSABLE.
 */
export async function readKeyFile(path: string, agent: string | undefined): Promise<KeptKey> {
  const text = await readFile(path, 'utf8').catch((cause: Error) => refuse(path, cause.message));
  if (/^(?:ssh|ecdsa|sk)-/.test(text)) return heldKey(text.trim(), agent);
  // Another user who can read it can seal with it, too.
  await readPrivateFile(path, 'closed', 'own').catch((cause: Error) => refuse(path, cause.message));
  if (text.includes('BEGIN OPENSSH PRIVATE KEY')) return keptPrivate(readOpenSsh(text, path));
  try {
    return keptPrivate(parsePrivateKey(text));
  } catch (cause) {
    return refuse(path, (cause as Error).message);
  }
}

/** The one ed25519 key of ssh-agent, or the one whose comment or SSH line contains `name`. Throws KEY_UNUSABLE. */
export async function keyOfAgent(name: string | undefined, agent: string | undefined): Promise<KeptKey> {
  const found = (await agentKeys(agent)).filter((line) => name === undefined || line.includes(name));
  const [line, another] = found;
  if (line !== undefined && another === undefined) return heldKey(line, agent);
  throw new KairosError(
    'KEY_UNUSABLE',
    line === undefined ? 'ssh-agent has no such ed25519 key' : `ssh-agent has ${found.length} ed25519 keys`,
    {
      hint:
        line === undefined
          ? 'Add one with ssh-add, and see what it has with ssh-add -L.'
          : 'Name one by a part of its comment, or name its .pub file.',
    },
  );
}

/** What happened to the previous key. */
export interface KeyChange {
  fingerprint: string;
  /** Null for the first key. */
  replaced: { fingerprint: string; file: string | null; signed: boolean } | null;
}

/**
 * Makes a key the one that seals from now on. The key before signs a statement that names its successor; its file stays under
 * another name, so that nothing is lost. The statement is kept first: a change that breaks off has changed nothing else. `lost`:
 * a key whose ssh-agent no longer exists is replaced without a statement, and its public half is kept.
 */
export async function changeKey(
  folders: UserFolders,
  cwd: string,
  { key, kept }: KeptKey,
  { now, agent, lost = false }: { now: number; agent: string | undefined; lost?: boolean },
): Promise<KeyChange> {
  const fingerprint = keyFingerprint(key.publicKey);
  const [current] = await ownKeyFingerprints({ folders }, cwd);
  if (current === fingerprint) return { fingerprint, replaced: null };
  // If ssh-agent does not sign with it, the next seal would fail.
  await signBytes(key, Buffer.from('kairos.key.v1\n'));
  const [pemFile, pubFile] = [SEALING_KEY_FILE, AGENT_KEY_FILE].map((file) => join(folders.data, file)) as [
    string,
    string,
  ];
  await ensurePrivateFolder(dirname(pemFile));
  const line = lost ? await readPrivateFile(pubFile, 'readable') : null;
  const copy = join(dirname(pubFile), `retired-${current?.slice(0, 16)}.pub`);
  if (line !== null) await replaceFile(copy, `${line.trim()}\n`);
  const file =
    line !== null
      ? copy
      : current === undefined
        ? null
        : await retire(folders, cwd, key, { now, agent, pemFile });
  if ('pem' in kept) {
    await replaceFile(pemFile, kept.pem);
    await rm(pubFile, { force: true });
  } else {
    await replaceFile(pubFile, `${kept.line}\n`);
    await rm(pemFile, { force: true });
  }
  const replaced = current === undefined ? null : { fingerprint: current, file, signed: line === null };
  return { fingerprint, replaced };
}

/** Keeps the statement of the key before, and a copy of its file. Returns the copy's path; null for a key of ssh-agent. */
async function retire(
  folders: UserFolders,
  cwd: string,
  successor: SigningKey,
  { now, agent, pemFile }: { now: number; agent: string | undefined; pemFile: string },
): Promise<string | null> {
  const old = await loadSealingKey(folders, cwd, agent);
  const to = successor.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const body = { v: 1, kind: 'rotation', to, at: new Date(now).toISOString() };
  const statement = await signRecord(body, old);
  const before = (await retiredKeys(folders)).map(({ statement: line }) => line).reverse();
  await replaceFile(join(folders.data, RETIRED_KEYS_FILE), [...before, statement, ''].join('\n'));
  if (!('privateKey' in old)) return null;
  const copy = join(dirname(pemFile), `retired-${keyFingerprint(old.publicKey).slice(0, 16)}.pem`);
  await createFile(copy, pemOf(old));
  return copy;
}

function heldKey(line: string, agent: string | undefined): KeptKey {
  return { key: agentKey(line, agent), kept: { line } };
}

function keptPrivate(key: SealingKey): KeptKey {
  return { key, kept: { pem: pemOf(key) } };
}

function pemOf({ privateKey }: SealingKey): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** OpenSSH's own private key format (PROTOCOL.key), for ed25519 without a passphrase. */
function readOpenSsh(text: string, path: string): SealingKey {
  const base64 = text.replace(/-----[A-Z ]+-----|\s/g, '');
  try {
    const wire = new WireReader(Buffer.from(base64, 'base64'));
    if (wire.take(15).toString('latin1') !== 'openssh-key-v1\0') return refuse(path, 'it is damaged');
    const cipher = wire.text();
    if (cipher !== 'none')
      return refuse(path, 'it has a passphrase; add it with ssh-add and import its .pub file');
    wire.string();
    wire.string();
    if (wire.uint32() !== 1) return refuse(path, 'it has several keys');
    wire.string();
    const inner = new WireReader(wire.string());
    const check = inner.uint32();
    if (inner.uint32() !== check) return refuse(path, 'it is damaged');
    const type = inner.text();
    if (type !== 'ssh-ed25519') return refuse(path, `it is an SSH key of type ${type}, not ssh-ed25519`);
    const point = inner.string();
    const seed = inner.string().subarray(0, 32);
    readEd25519(`ssh-ed25519 ${sshBlob(point).toString('base64')}`);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url'), d: seed.toString('base64url') };
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
    return { privateKey, publicKey: createPublicKey(privateKey) };
  } catch (error) {
    if (error instanceof WireFault) return refuse(path, 'it is damaged');
    throw error;
  }
}

/** A public key as people compare and use it: fingerprint, PEM, and the line of SSH. */
export function publicForms({ publicKey }: SigningKey): { fingerprint: string; pem: string; ssh: string } {
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    fingerprint: keyFingerprint(publicKey),
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ssh: `ssh-ed25519 ${sshBlob(point).toString('base64')}`,
  };
}

/** The bytes of a public ed25519 key as SSH writes them. */
function sshBlob(point: Buffer): Buffer {
  const type = Buffer.from('ssh-ed25519');
  const length = (bytes: Buffer) => {
    const prefix = Buffer.alloc(4);
    prefix.writeUInt32BE(bytes.length);
    return prefix;
  };
  return Buffer.concat([length(type), type, length(point), point]);
}

function refuse(path: string, why: string): never {
  throw new KairosError('KEY_UNUSABLE', `the key ${path} cannot be used: ${why}`, {
    hint: 'Name an ed25519 private key that only you can read (PKCS #8 PEM or OpenSSH), or a .pub file whose key is in ssh-agent.',
  });
}
