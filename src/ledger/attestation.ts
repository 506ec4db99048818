import { type KeyObject, verify } from 'node:crypto';
import * as z from 'zod/mini';
import { canonical } from '../base/canonical.ts';
import { isObject, jsonOf } from '../base/json.ts';
import type { EntryData, Json, LedgerEntry, Seal } from './entry.ts';
import { checkSeal, importKey, keyFingerprint, type SigningKey, signBytes } from './seal.ts';

/** The type of the predicate. Its schema is published as schemas/run-attestation.json. */
export const PREDICATE_TYPE = 'https://kairos-protocols.dev/attestation/run/v1';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

const sha256Of = () => z.string().check(z.regex(/^[0-9a-f]{64}$/));
const sha256 = sha256Of();

const about = <T extends z.ZodMiniType>(schema: T, description: string): T => {
  z.globalRegistry.add(schema, { description });
  return schema;
};
/** A text or null, with its description. */
const described = (description: string) => about(z.nullable(z.string()), description);

/** A list that older attestations lack. */
const listed = <T extends z.core.$ZodLooseShape>(description: string, shape: T) =>
  about(z.optional(z.array(z.strictObject(shape))), description);

/** The predicate: what happened in a run, with the seal of its record. */
export const predicateSchema = z.strictObject({
  run_id: about(z.string(), 'Id of the run.'),
  protocol: about(
    z.strictObject({
      slug: described('Slug of the protocol.'),
      title: described('Title of the protocol.'),
      digest: about(z.nullable(sha256), 'Digest of the revision that was run.'),
    }),
    'The protocol.',
  ),
  begun_at: described('When the run began, RFC 3339.'),
  sealed_at: described('When the run was sealed, RFC 3339.'),
  outcome: about(z.enum(['success', 'failure']), 'How the run was sealed.'),
  actor: described('Who began the run.'),
  actor_origin: about(
    z.optional(z.string()),
    'How the name is known: account, sudo, token, flag (--actor) or config.',
  ),
  actor_account: about(z.optional(z.string()), 'The account that began the run, where it has another name.'),
  host: described('The machine that the run began on.'),
  inputs: about(z.optional(z.record(z.string(), z.string())), 'Values of the inputs by name.'),
  secret_inputs: about(z.optional(z.array(z.string())), 'Names of the secret inputs that were given.'),
  policies: listed(
    'The policies that judged the run, in order: the one it began under, then each that was adopted.',
    {
      digest: described('Digest of the policy. Null: no policy.'),
      origin: described('File of the policy.'),
      entry: about(sha256Of(), 'Hash of the ledger entry.'),
    },
  ),
  approvals: listed('The answers to proposals, in order, as recorded.', {
    step: about(z.int(), 'Number of the step.'),
    decision: about(z.enum(['approve', 'deny']), 'What was answered.'),
    approver: about(z.string(), 'Name of the approver in the policy.'),
    at: about(z.string(), 'When it was recorded, RFC 3339.'),
    source: about(z.enum(['ssh', 'terminal']), 'Signed with an SSH key, or typed at a terminal.'),
    key: described('Public SSH key that signed: type and base64. Null at a terminal.'),
    statement: about(z.string(), 'The text that was signed.'),
    signature: described('SSH signature in the namespace kairos-approval. Null at a terminal.'),
    proposal_hash: about(sha256Of(), 'Hash of the proposal.'),
    expires_at_ms: about(z.int(), 'When it expires, in milliseconds since the epoch.'),
    entry: about(sha256Of(), 'Hash of the ledger entry.'),
  }),
  tool_version: described('Version of kairos.'),
  assurance: about(
    z.nullable(z.record(z.string(), z.int())),
    'Number of accepted proofs by their assurance.',
  ),
  self_reported: about(z.nullable(z.boolean()), 'Whether all proofs are claims.'),
  steps: about(
    z.array(
      z.strictObject({
        step: about(z.nullable(z.int()), 'Number of the step.'),
        type: described('Type of the proof.'),
        assurance: described('Assurance of the proof.'),
        executed_at: described('When the proof was made, RFC 3339.'),
        entry: about(sha256Of(), 'Hash of the ledger entry.'),
      }),
    ),
    'The accepted proofs, in order.',
  ),
  ledger: about(
    z.strictObject({
      head: about(sha256Of(), 'Hash of the last entry.'),
      count: about(z.int(), 'Number of entries.'),
      seal: about(z.looseObject({}), 'The seal over both.'),
    }),
    'The record that the statement is about.',
  ),
  signer: described(
    "The public key of the envelope's signature: SubjectPublicKeyInfo, DER, base64. Null in a bare statement.",
  ),
});

const statementSchema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.strictObject({ name: z.string(), digest: z.strictObject({ sha256 }) })),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: predicateSchema,
});

const envelopeSchema = z.looseObject({
  payload: z.string(),
  payloadType: z.literal(PAYLOAD_TYPE),
  signatures: z.array(z.looseObject({ sig: z.string() })).check(z.minLength(1)),
});

/** A DSSE envelope. */
export interface Envelope {
  payload: string;
  payloadType: string;
  signatures: { keyid: string; sig: string }[];
}

/** What the run began with, and followed at its end: of another revision, the digest, the title and all inputs that were given. */
function followedLast(entries: readonly LedgerEntry[]): EntryData {
  const followed = entries
    .filter(({ kind }, at) => at === 0 || kind === 'run.rebased')
    .map(({ data }) => data);
  const newest = followed.at(-1) ?? {};
  if (followed.length < 2) return newest;
  return {
    ...followed[0],
    digest: newest.digest ?? null,
    title: newest.title ?? null,
    inputs: Object.fromEntries(followed.flatMap(({ inputs }) => Object.entries(objectOf(inputs)))),
    secret_inputs: followed.flatMap(({ secret_inputs: secrets }) => listOf(secrets)),
  };
}

const objectOf = (value: Json | undefined): EntryData => (isObject(value) ? (value as EntryData) : {});
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** Returns a sealed run as an in-toto statement. Its subjects are the revision and the run's record. */
export function runStatement(entries: readonly LedgerEntry[], seal: Seal, signer: KeyObject | null = null) {
  const [first] = entries;
  const last = entries.at(-1);
  const begun = followedLast(entries);
  const sealed = last?.data ?? {};
  return {
    _type: STATEMENT_TYPE,
    subject: [
      { name: `kairos://protocol/${String(begun.slug)}`, digest: { sha256: String(begun.digest) } },
      { name: `kairos://run/${seal.seal.run_id}`, digest: { sha256: seal.seal.head } },
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      run_id: seal.seal.run_id,
      protocol: { slug: begun.slug ?? null, title: begun.title ?? null, digest: begun.digest ?? null },
      begun_at: first?.at ?? null,
      sealed_at: last?.at ?? null,
      outcome: sealed.outcome ?? null,
      actor: begun.actor ?? null,
      ...(begun.actor_origin === undefined ? {} : { actor_origin: begun.actor_origin }),
      ...(begun.actor_account === undefined ? {} : { actor_account: begun.actor_account }),
      host: begun.host ?? null,
      // Values by name, of secret inputs only the names.
      inputs: begun.inputs ?? {},
      secret_inputs: begun.secret_inputs ?? [],
      policies: entries
        .filter(({ data }) => data.policy_origin !== undefined)
        .map(({ hash, data }) => ({
          digest: data.policy_digest ?? null,
          origin: data.policy_origin ?? null,
          entry: hash,
        })),
      approvals: entries.filter(({ kind }) => kind === 'approval.given').map(approvalOf),
      tool_version: begun.tool_version ?? null,
      assurance: sealed.assurance ?? null,
      self_reported: sealed.self_reported ?? null,
      steps: entries
        .filter(({ kind, data }) => kind === 'proof.accepted' && data.closing !== true)
        .map(({ hash, data }) => ({
          step: data.step ?? null,
          type: data.type ?? null,
          assurance: data.assurance ?? null,
          executed_at: data.executed_at ?? null,
          entry: hash,
        })),
      ledger: { head: seal.seal.head, count: seal.seal.count, seal: seal.seal },
      signer: signer === null ? null : signer.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
  };
}

function approvalOf({ at, hash, data }: LedgerEntry): EntryData {
  const { step, decision, approver, source, key, statement, signature, proposal_hash, expires_at_ms } = data;
  const signed = { source, key, statement, signature, proposal_hash, expires_at_ms };
  return { step, decision, approver, at, ...signed, entry: hash } as EntryData;
}

/** What DSSE signs: the type and the payload, each behind its length in bytes. */
export function preAuthEncoding(payload: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
}

/** Signs a statement with a key, usually the one that seals. */
export async function signAttestation(statement: object, key: SigningKey): Promise<Envelope> {
  const payload = Buffer.from(canonical(statement));
  return {
    payload: payload.toString('base64'),
    payloadType: PAYLOAD_TYPE,
    signatures: [
      {
        keyid: keyFingerprint(key.publicKey),
        sig: (await signBytes(key, preAuthEncoding(payload))).toString('base64'),
      },
    ],
  };
}

export type EnvelopeCheck = { runId: string | null; head: string | null; count: number } & (
  | { ok: true; fingerprint: string; approvals: readonly EntryData[] }
  /** `reason`: to follow "the envelope". */
  | { ok: false; reason: string }
);

/**
 * Whether a DSSE envelope, or the Sigstore bundle of one, states a sealed run: signed by the key that it names, in the form of
 * the predicate, with a seal over the record that its subject names. Never throws.
 */
export function checkEnvelope(value: unknown): EnvelopeCheck {
  const nothing = { runId: null, head: null, count: 0 };
  const inner =
    value !== null && typeof value === 'object' && 'dsseEnvelope' in value ? value.dsseEnvelope : value;
  const envelope = envelopeSchema.safeParse(inner);
  if (!envelope.success) return { ok: false, reason: 'does not have the form of DSSE', ...nothing };
  const payload = Buffer.from(envelope.data.payload, 'base64');
  const statement = statementSchema.safeParse(jsonOf(payload.toString('utf8')));
  if (!statement.success)
    return { ok: false, reason: 'does not contain a statement of the form that kairos writes', ...nothing };
  const { subject, predicate } = statement.data;
  const { ledger, run_id: runId, protocol } = predicate;
  const facts = { runId, head: ledger.head, count: ledger.count };
  const named = importKey(predicate.signer ?? '');
  if (named === null) return { ok: false, reason: 'names no ed25519 key', ...facts };
  const signed = preAuthEncoding(payload);
  if (
    !envelope.data.signatures.some(({ sig }) => verify(null, signed, named.key, Buffer.from(sig, 'base64')))
  )
    return { ok: false, reason: 'is not signed by the key that it names', ...facts };
  const digests = subject.map(({ digest }) => digest.sha256);
  if (digests.length !== 2 || digests[0] !== protocol.digest || digests[1] !== ledger.head)
    return { ok: false, reason: 'has other subjects than its predicate', ...facts };
  const seal = checkSeal({ seal: ledger.seal });
  if (!seal.ok) return { ok: false, reason: `has a seal that ${seal.reason}`, ...facts };
  const isSame =
    seal.seal.run_id === runId && seal.seal.head === ledger.head && seal.seal.count === ledger.count;
  if (!isSame) return { ok: false, reason: 'has the seal of another record', ...facts };
  return { ok: true, fingerprint: named.fingerprint, approvals: predicate.approvals ?? [], ...facts };
}

/** An envelope as a Sigstore bundle (v0.3) that is verified with the public key itself. */
export function sigstoreBundle(envelope: Envelope) {
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: envelope.signatures[0]?.keyid ?? '' }, tlogEntries: [] },
    dsseEnvelope: envelope,
  };
}
