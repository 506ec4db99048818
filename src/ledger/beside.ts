import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod/mini';
import { canonical } from '../base/canonical.ts';
import { checkSeal, keyFingerprint, type SigningKey, signBytes } from './seal.ts';

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const signed = { public_key: z.string(), signature: z.string() };

/** A note on a sealed run. It names the seal, so it can be about no other record. */
const noteSchema = z.strictObject({
  v: z.literal(1),
  kind: z.literal('note'),
  run_id: z.string(),
  head: hash,
  count: z.int(),
  /** Signature of the seal. */
  seal: z.string(),
  at: z.string(),
  by: z.string(),
  text: z.string(),
  ...signed,
});
export type SealedNote = z.infer<typeof noteSchema>;

/** What a store keeps of a pruned run: enough to list it, and to check its archive. */
const tombstoneSchema = z.strictObject({
  v: z.literal(1),
  kind: z.literal('tombstone'),
  run_id: z.string(),
  space: z.string(),
  chain_id: z.string(),
  digest: z.string(),
  slug: z.string(),
  title: z.string(),
  actor: z.string(),
  session: z.nullable(z.string()),
  begun_at: z.string(),
  sealed_at: z.string(),
  outcome: z.enum(['success', 'failure']),
  head: hash,
  count: z.int(),
  seal: z.looseObject({}),
  pruned_at: z.string(),
  by: z.string(),
  /** The file that the record was exported to; null: none was written. */
  archive: z.nullable(z.string()),
  ...signed,
});
export type Tombstone = z.infer<typeof tombstoneSchema>;

export type BesideCheck<T> =
  | { ok: true; value: T; fingerprint: string }
  /** `reason`: what is wrong, to follow "the note" or "the tombstone". */
  | { ok: false; reason: string };

/** A signed note as its one text: canonical JSON. */
export function signNote(note: Omit<SealedNote, keyof typeof signed>, key: SigningKey): Promise<string> {
  return signRecord(note, key);
}

/** A signed tombstone as its one text: canonical JSON. */
export function signTombstone(
  tombstone: Omit<Tombstone, keyof typeof signed>,
  key: SigningKey,
): Promise<string> {
  return signRecord(tombstone, key);
}

/** Whether a text is a note on this run, signed by the key that it names. Never throws. */
export function checkNote(text: string, runId: string): BesideCheck<SealedNote> {
  return checkRecord(text, runId, noteSchema);
}

/** Whether a text is a tombstone of this run, signed by the key that it names, over a seal that fits it. Never throws. */
export function checkTombstone(text: string, runId: string): BesideCheck<Tombstone> {
  const checked = checkRecord(text, runId, tombstoneSchema);
  if (!checked.ok) return checked;
  const { seal, head, count } = checked.value;
  const sealed = checkSeal({ seal });
  if (!sealed.ok) return { ok: false, reason: `has a seal that ${sealed.reason}` };
  if (sealed.seal.run_id !== runId || sealed.seal.head !== head || sealed.seal.count !== count)
    return { ok: false, reason: 'has the seal of another record' };
  return checked;
}

/** A signed record of a kind as its one text: canonical JSON that names the key. Signed: `kairos.KIND.v1`, a line feed, the rest. */
export async function signRecord(body: { kind: string }, key: SigningKey): Promise<string> {
  const named = {
    ...body,
    public_key: key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
  const signature = (await signBytes(key, signedBytes(named))).toString('base64');
  return canonical({ ...named, signature });
}

function checkRecord<T extends { run_id: string; public_key: string; signature: string; kind: string }>(
  text: string,
  runId: string,
  schema: z.ZodMiniType<T>,
): BesideCheck<T> {
  const value = parse(text);
  const parsed = schema.safeParse(value);
  if (!parsed.success || canonical(value) !== text) return { ok: false, reason: 'does not have its form' };
  const { signature, ...body } = parsed.data;
  if (body.run_id !== runId) return { ok: false, reason: 'belongs to another run' };
  const key = publicKey(body.public_key);
  if (key === null) return { ok: false, reason: 'names no ed25519 key' };
  if (!verify(null, signedBytes(body), key, Buffer.from(signature, 'base64')))
    return { ok: false, reason: 'is not signed by the key that it names' };
  return { ok: true, value: parsed.data, fingerprint: keyFingerprint(key) };
}

function signedBytes(body: { kind: string }): Buffer {
  return Buffer.from(`kairos.${body.kind}.v1\n${canonical(body)}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function publicKey(text: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}
