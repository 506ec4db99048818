import { createHash, verify } from 'node:crypto';
import * as z from 'zod/mini';
import { canonical } from '../../base/canonical.ts';
import { readJsonStrictly } from '../json/read.ts';
import type { Policy } from '../policy/schema.ts';
import { LAST_INSTANT_MS } from '../proposal.ts';
import { type KeyType, readSshKey, type SshKey, WireFault, WireReader } from './ssh-key.ts';

/** The namespace of `ssh-keygen -Y`: a signature made in another one doesn't count here. */
export const APPROVAL_NAMESPACE = 'kairos-approval';

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/**
 * What an approver states and signs: this person, this decision, on exactly this proposal in this run, until
 * then.
 */
const statementSchema = z.strictObject({
  v: z.literal(1),
  decision: z.enum(['approve', 'deny']),
  approver: z.string(),
  proposal_hash: hash,
  run_id: z.string(),
  step: z.int(),
  chain_digest: hash,
  policy_digest: hash,
  /** Of the command or tool with arguments, directory, host and variables (see `bindingOf`). kairos always writes it. */
  binding: z.optional(hash),
  /** Why it is denied. */
  reason: z.optional(z.string().check(z.minLength(1), z.maxLength(2000))),
  expires_at_ms: z.int().check(z.gte(0), z.lte(LAST_INSTANT_MS)),
});
export type ApprovalStatement = z.infer<typeof statementSchema>;

/** An answer that is on record, or is about to be. */
export interface Approval {
  statement: ApprovalStatement;
  source: 'ssh' | 'terminal';
  /** The public key that signed, `type base64`; null for a terminal. */
  key: string | null;
  /** OS user or bearer identity that submitted it. */
  by: string;
  /** Milliseconds since the epoch. */
  givenAt: number;
  /**
   * It was accepted when it was given. An accepted denial stays valid when its key, its approver or the policy
   * changes.
   */
  taken?: boolean;
  /** The run was moved to another directory or machine after it was given. */
  moved?: boolean;
}

/** The bytes that are signed: RFC 8785 text and a line feed. */
export function statementText(statement: ApprovalStatement): string {
  return `${canonical(statement)}\n`;
}

/** Reads what `statementText` writes; null for anything else, other spellings of the same statement included. */
export function readStatement(text: string): ApprovalStatement | null {
  const { value, violations } = readJsonStrictly(text);
  const result = statementSchema.safeParse(value);
  if (violations.length > 0 || !result.success) return null;
  return statementText(result.data) === text ? result.data : null;
}

type VerifiedStatement =
  | { ok: true; statement: ApprovalStatement; key: string }
  | { ok: false; reason: 'statement' | 'approver' | 'signature' };

/**
 * Whether a statement is signed, in the namespace of approvals, with a key of the approver that it names. Whether that key may
 * be used at an instant, and whether the answer counts, the gate judges. `text` must be the bytes that were signed.
 */
export function verifyStatement(text: string, signature: string, { approvers }: Policy): VerifiedStatement {
  const statement = readStatement(text);
  if (statement === null) return { ok: false, reason: 'statement' };
  const approver = approvers.find(({ name }) => name === statement.approver);
  if (approver === undefined || approver.keys.length === 0) return { ok: false, reason: 'approver' };
  const key = approver.keys.map((entry) => signerKey(text, signature, entry.key)).find((one) => one !== null);
  return key === undefined ? { ok: false, reason: 'signature' } : { ok: true, statement, key };
}

/** Whether the key that an answer was recorded with has signed it. Who has that key now doesn't matter. */
export function isSignedAsRecorded(text: string, signature: string, key: string): boolean {
  return signerKey(text, signature, key) !== null;
}

/** The key as `type base64` when it signed the text; else null. */
function signerKey(text: string, armored: string, line: string): string | null {
  const key = readSshKey(line);
  const signature = readSignature(armored);
  if ('problem' in key || signature === null) return null;
  return isSignedBy(signature, text, APPROVAL_NAMESPACE, key)
    ? `${key.type} ${key.blob.toString('base64')}`
    : null;
}

/** An armoured SSH signature (OpenSSH's PROTOCOL.sshsig, version 1) that was read; nothing of it is verified yet. */
interface SshSignature {
  /** Bytes of the public key that signed. */
  publicKey: Buffer;
  namespace: string;
  reserved: Buffer;
  hash: 'sha256' | 'sha512';
  algorithm: string;
  bytes: Buffer;
  /** What follows the signature of a security key: flags and counter. */
  trailer: Buffer;
}

const MAGIC = 'SSHSIG';
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END SSH SIGNATURE-----\r?\n?$/;

/** Reads the text that `ssh-keygen -Y sign` writes; null for anything else. */
function readSignature(armored: string): SshSignature | null {
  const base64 = ARMOR.exec(armored)?.[1]?.replace(/[\r\n]/g, '');
  if (base64 === undefined) return null;
  const blob = Buffer.from(base64, 'base64');
  if (blob.toString('base64') !== base64) return null;
  try {
    return parseSignature(blob);
  } catch (error) {
    if (error instanceof WireFault) return null;
    throw error;
  }
}

function parseSignature(blob: Buffer): SshSignature | null {
  const wire = new WireReader(blob);
  if (wire.take(MAGIC.length).toString('latin1') !== MAGIC || wire.uint32() !== 1) return null;
  const publicKey = wire.string();
  const namespace = wire.text();
  const reserved = wire.string();
  const hash = wire.text();
  const inner = new WireReader(wire.string());
  wire.end();
  if (hash !== 'sha256' && hash !== 'sha512') return null;
  const algorithm = inner.text();
  const bytes = inner.string();
  const trailer = algorithm.startsWith('sk-') ? inner.take(5) : Buffer.alloc(0);
  inner.end();
  return { publicKey, namespace, reserved, hash, algorithm, bytes, trailer };
}

/** Which signature algorithms a key may be used with, and the digest of each. SHA-1 is not among them. */
const ALGORITHMS: Record<KeyType, Readonly<Record<string, string | null>>> = {
  'ssh-ed25519': { 'ssh-ed25519': null },
  'sk-ssh-ed25519@openssh.com': { 'sk-ssh-ed25519@openssh.com': null },
  'ecdsa-sha2-nistp256': { 'ecdsa-sha2-nistp256': 'sha256' },
  'ecdsa-sha2-nistp384': { 'ecdsa-sha2-nistp384': 'sha384' },
  'ecdsa-sha2-nistp521': { 'ecdsa-sha2-nistp521': 'sha512' },
  'sk-ecdsa-sha2-nistp256@openssh.com': { 'sk-ecdsa-sha2-nistp256@openssh.com': 'sha256' },
  'ssh-rsa': { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' },
};

/** The key was touched for this signature (FIDO flag "user present"). */
const USER_PRESENT = 0x01;

/** Whether this key signed this text in this namespace. A security key has to have been touched. Never throws. */
function isSignedBy(signature: SshSignature, text: string, namespace: string, key: SshKey): boolean {
  if (signature.namespace !== namespace || !signature.publicKey.equals(key.blob)) return false;
  const digest = ALGORITHMS[key.type][signature.algorithm];
  if (digest === undefined) return false;
  const signed = Buffer.concat([
    Buffer.from(MAGIC),
    wireString(Buffer.from(namespace)),
    wireString(signature.reserved),
    wireString(Buffer.from(signature.hash)),
    wireString(createHash(signature.hash).update(text).digest()),
  ]);
  const { trailer } = signature;
  if (key.hardware && (trailer[0]! & USER_PRESENT) === 0) return false;
  const data = key.hardware ? Buffer.concat([sha256(key.application), trailer, sha256(signed)]) : signed;
  try {
    return verifyBytes(signature, digest, data, key);
  } catch {
    return false;
  }
}

function verifyBytes({ bytes }: SshSignature, digest: string | null, data: Buffer, key: SshKey): boolean {
  const { publicKey } = key;
  if (publicKey.asymmetricKeyType !== 'ec') return verify(digest, data, publicKey, bytes);
  const size = Math.ceil(CURVE_BITS[publicKey.asymmetricKeyDetails?.namedCurve ?? '']! / 8);
  const wire = new WireReader(bytes);
  const parts = [wire.positive(), wire.positive()];
  wire.end();
  if (parts.some(({ length }) => length > size)) return false;
  const padded = parts.map((part) => Buffer.concat([Buffer.alloc(size - part.length), part]));
  return verify(digest, data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.concat(padded));
}

const CURVE_BITS: Readonly<Record<string, number>> = { prime256v1: 256, secp384r1: 384, secp521r1: 521 };

function wireString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
