import * as z from 'zod/mini';
import { canonical } from '../../base/canonical.ts';
import { readJsonStrictly } from '../json/read.ts';
import { LAST_INSTANT_MS } from '../proposal.ts';

/** The namespace of `ssh-keygen -Y`: a signature made for anything else is none here. */
export const APPROVAL_NAMESPACE = 'kairos-approval';

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** What an approver says, and signs: this person, this answer, to exactly this proposal in this run, until then. */
export const statementSchema = z.strictObject({
  v: z.literal(1),
  decision: z.enum(['approve', 'deny']),
  approver: z.string(),
  proposal_hash: hash,
  run_id: z.string(),
  step: z.int(),
  chain_digest: hash,
  policy_digest: hash,
  expires_at_ms: z.int().check(z.gte(0), z.lte(LAST_INSTANT_MS)),
});
export type ApprovalStatement = z.infer<typeof statementSchema>;

/** An answer that is on record. */
export interface Approval {
  statement: ApprovalStatement;
  source: 'ssh' | 'terminal';
  /** The public key that signed, `type base64`; null for a terminal. */
  key: string | null;
  /** OS user or bearer identity that handed it in. */
  by: string;
  /** Milliseconds since the epoch. */
  givenAt: number;
}

/** The bytes that are signed: RFC 8785 text and a line feed. */
export function statementText(statement: ApprovalStatement): string {
  return `${canonical(statement)}\n`;
}

/** Reads what `statementText` writes; null for anything else, other spellings of the same included. */
export function readStatement(text: string): ApprovalStatement | null {
  const { value, violations } = readJsonStrictly(text);
  const result = statementSchema.safeParse(value);
  if (violations.length > 0 || !result.success) return null;
  return statementText(result.data) === text ? result.data : null;
}
