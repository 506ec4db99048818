import { canonical } from '../base/canonical.ts';
import type { LedgerEntry, Seal } from './entry.ts';
import { keyFingerprint, type SigningKey, signBytes } from './seal.ts';

/** Names what a statement says of a run. Its schema is published as schemas/run-attestation.schema.json. */
export const PREDICATE_TYPE = 'https://kairos-protocols.dev/attestation/run/v1';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** A DSSE envelope. */
export interface Envelope {
  payload: string;
  payloadType: string;
  signatures: { keyid: string; sig: string }[];
}

/** A sealed run as an in-toto statement: the subject is the revision that was walked and the record of it. */
export function runStatement(entries: readonly LedgerEntry[], seal: Seal) {
  const [first] = entries;
  const last = entries.at(-1);
  const begun = first?.data ?? {};
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
      host: begun.host ?? null,
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
    },
  };
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

/** An envelope as a Sigstore bundle (v0.3) that is verified with the public key itself. */
export function sigstoreBundle(envelope: Envelope) {
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: envelope.signatures[0]?.keyid ?? '' }, tlogEntries: [] },
    dsseEnvelope: envelope,
  };
}
