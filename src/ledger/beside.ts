import { verify } from 'node:crypto';
import { canonical } from '../base/canonical.ts';
import { isObject, jsonOf } from '../base/json.ts';
import { checkSeal, importKey, type SigningKey, signBytes } from './seal.ts';

// Checked by hand: every command that opens a store reads tombstones, and most of them start without zod.
type Guard<T> = (value: unknown) => value is T;
type Checked<Shape> = { [Key in keyof Shape]: Shape[Key] extends Guard<infer T> ? T : never };

const isText = (value: unknown): value is string => typeof value === 'string';
const isHash = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
const orNull =
  <T>(guard: Guard<T>) =>
  (value: unknown): value is T | null =>
    value === null || guard(value);
const oneOf =
  <const T>(...options: T[]) =>
  (value: unknown): value is T =>
    options.includes(value as T);

const signed = { public_key: isText, signature: isText };

/** A note on a sealed run. It names the seal (`seal`: its signature), so it can be about no other record. */
const noteShape = {
  v: oneOf(1),
  kind: oneOf('note'),
  run_id: isText,
  head: isHash,
  count: isCount,
  seal: isText,
  at: isText,
  by: isText,
  text: isText,
  ...signed,
};
export type SealedNote = Checked<typeof noteShape>;

/**
 * What a store keeps of a pruned run: enough to list it, and to check its archive (`archive`: the file that the record was
 * exported to; null: none was written).
 */
const tombstoneShape = {
  v: oneOf(1),
  kind: oneOf('tombstone'),
  run_id: isText,
  space: isText,
  chain_id: isText,
  digest: isText,
  slug: isText,
  title: isText,
  actor: isText,
  session: orNull(isText),
  begun_at: isText,
  sealed_at: isText,
  outcome: oneOf('success', 'failure'),
  head: isHash,
  count: isCount,
  seal: isObject,
  pruned_at: isText,
  by: isText,
  archive: orNull(isText),
  ...signed,
};
/** What lists of runs show besides. Older tombstones lack it. */
const listedShape = { host: orNull(isText), passed: isCount, steps: isCount };
export type Tombstone = Checked<typeof tombstoneShape> & Partial<Checked<typeof listedShape>>;

/** Whether a value has exactly these fields, or with all of `more` too. */
function hasShape<Shape extends Record<string, Guard<unknown>>>(
  value: unknown,
  shape: Shape,
  more: Record<string, Guard<unknown>>,
): value is Checked<Shape> {
  if (!isObject(value)) return false;
  const hasMore = Object.keys(more).some((key) => Object.hasOwn(value, key));
  const fields = Object.entries({ ...shape, ...(hasMore ? more : {}) });
  if (Object.keys(value).length !== fields.length) return false;
  return fields.every(([key, guard]) => Object.hasOwn(value, key) && guard(value[key]));
}

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
  return checkRecord(text, runId, noteShape);
}

/** Whether a text is a tombstone of this run, signed by the key that it names, over a seal that fits it. Never throws. */
export function checkTombstone(text: string, runId: string): BesideCheck<Tombstone> {
  const checked: BesideCheck<Tombstone> = checkRecord(text, runId, tombstoneShape, listedShape);
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

function checkRecord<Shape extends typeof noteShape | typeof tombstoneShape>(
  text: string,
  runId: string,
  shape: Shape,
  more: Record<string, Guard<unknown>> = {},
): BesideCheck<Checked<Shape>> {
  const value = jsonOf(text);
  if (!hasShape(value, shape, more) || canonical(value) !== text)
    return { ok: false, reason: 'does not have its form' };
  const { signature, ...body } = value as SealedNote | Tombstone;
  if (body.run_id !== runId) return { ok: false, reason: 'belongs to another run' };
  const named = importKey(body.public_key);
  if (named === null) return { ok: false, reason: 'names no ed25519 key' };
  if (!verify(null, signedBytes(body), named.key, Buffer.from(signature, 'base64')))
    return { ok: false, reason: 'is not signed by the key that it names' };
  return { ok: true, value, fingerprint: named.fingerprint };
}

function signedBytes(body: { kind: string }): Buffer {
  return Buffer.from(`kairos.${body.kind}.v1\n${canonical(body)}`);
}
