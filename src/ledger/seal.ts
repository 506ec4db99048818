import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonical, sha256Hex } from '../base/canonical.ts';
import { memoize } from '../base/memoize.ts';
import type { Seal } from './entry.ts';

/** The ed25519 key that seals ledgers; made on first use, kept in the user's data folder with mode 0600. */
export interface SealingKey {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

/** A key that another program has, such as ssh-agent. */
export interface HeldKey {
  publicKey: KeyObject;
  /** The 64 bytes of an ed25519 signature. */
  sign(bytes: Buffer): Promise<Buffer>;
}

/** A key that can seal: in memory, or in another program. */
export type SigningKey = SealingKey | HeldKey;

/** An ed25519 signature over these bytes. */
export async function signBytes(key: SigningKey, bytes: Buffer): Promise<Buffer> {
  return 'privateKey' in key ? sign(null, bytes, key.privateKey) : key.sign(bytes);
}

/** What a seal states, without the ledger above it. */
export type SealCheck =
  | { ok: true; seal: Seal['seal']; fingerprint: string }
  /** `reason`: what is wrong with it, to follow "the seal". */
  | { ok: false; reason: string };

/** Signs a finished run: `head` is the hash of its `run.sealed` entry, `count` the number of its entries, that one included. */
export function makeSeal(runId: string, head: string, count: number, key: SealingKey): Seal {
  return sealOf(runId, head, count, key, sign(null, sealedBytes(runId, head, count), key.privateKey));
}

/** The same with any key. */
export async function sealWith(runId: string, head: string, count: number, key: SigningKey): Promise<Seal> {
  return sealOf(runId, head, count, key, await signBytes(key, sealedBytes(runId, head, count)));
}

function sealOf(
  runId: string,
  head: string,
  count: number,
  key: Pick<SigningKey, 'publicKey'>,
  signature: Buffer,
): Seal {
  return {
    seal: {
      v: 1,
      run_id: runId,
      head,
      count,
      alg: 'ed25519',
      public_key: exportKey(key.publicKey).toString('base64'),
      signature: signature.toString('base64'),
    },
  };
}

/** Whether a value is a seal in the one form there is, signed by the key that it names. Never throws. */
export function checkSeal(value: unknown): SealCheck {
  const seal = readSeal(value);
  if (seal === null) return { ok: false, reason: 'does not have the form of a seal' };
  const named = importKey(seal.public_key);
  if (named === null) return { ok: false, reason: 'names no ed25519 key' };
  const { key, fingerprint } = named;
  const signature = strictBase64(seal.signature);
  if (signature === null || !verify(null, sealedBytes(seal.run_id, seal.head, seal.count), key, signature)) {
    return { ok: false, reason: 'is not signed by the key that it names' };
  }
  return { ok: true, seal, fingerprint };
}

/** Lower-case hex SHA-256 of a public key's SubjectPublicKeyInfo (DER): how people compare keys. */
export function keyFingerprint(publicKey: KeyObject): string {
  return sha256Hex(exportKey(publicKey));
}

function sealedBytes(runId: string, head: string, count: number): Buffer {
  return Buffer.from(`kairos.seal.v1\n${canonical({ run_id: runId, head, count })}`);
}

const FIELDS: { [Name in keyof Seal['seal']]: (value: unknown) => boolean } = {
  v: (value) => value === 1,
  run_id: (value) => typeof value === 'string' && !/\p{Cs}/u.test(value),
  head: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  count: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
  alg: (value) => value === 'ed25519',
  public_key: (value) => typeof value === 'string',
  signature: (value) => typeof value === 'string',
};

function readSeal(value: unknown): Seal['seal'] | null {
  if (!hasExactly(value, ['seal']) || !hasExactly(value.seal, Object.keys(FIELDS))) return null;
  const { seal } = value;
  return Object.entries(FIELDS).every(([name, holds]) => holds(seal[name]))
    ? (seal as unknown as Seal['seal'])
    : null;
}

function hasExactly<K extends string>(
  value: unknown,
  keys: K[],
): value is Record<K, Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return false;
  return Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key));
}

/** Only the DER form that Node.js writes is accepted, so that each key has one spelling. Many seals name the same key. */
export const importKey = memoize((text): { key: KeyObject; fingerprint: string } | null => {
  const der = strictBase64(text);
  if (der === null) return null;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const isPlain = key.asymmetricKeyType === 'ed25519' && exportKey(key).equals(der);
    return isPlain ? { key, fingerprint: keyFingerprint(key) } : null;
  } catch {
    return null;
  }
}, 65_536);

function exportKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

/** Decoders skip stray characters and unused bits; here another spelling of the same bytes is another text. */
function strictBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
