import * as z from 'zod/mini';
import { canonical } from '../../base/canonical.ts';
import { readJsonStrictly } from '../json/read.ts';
import type { Policy } from '../policy/schema.ts';
import { LAST_INSTANT_MS } from '../proposal.ts';
import { readSshKey } from './ssh-key.ts';
import { isSignedBy, readSignature } from './ssh-signature.ts';

/** The namespace of `ssh-keygen -Y`: a signature made in another one doesn't count here. */
export const APPROVAL_NAMESPACE = 'kairos-approval';

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/**
 * What an approver states and signs: this person, this decision, on exactly this proposal in this run, until
 * then.
 */
export const statementSchema = z.strictObject({
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
   * It was accepted when it was given. An accepted denial stays, whatever happens to its key, its approver or
   * the policy.
   */
  taken?: boolean;
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

export type VerifiedStatement =
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
