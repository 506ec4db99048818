import { keyIdentity } from '../../gate/approval/key.ts';
import { APPROVAL_NAMESPACE, type ApprovalStatement, readStatement } from '../../gate/approval/statement.ts';
import type { Approver, Policy } from '../../gate/policy/schema.ts';
import { keygen, withFiles } from './keygen.ts';

export type Verified =
  | { ok: true; statement: ApprovalStatement; key: string; approver: Approver }
  | { ok: false; reason: 'statement' | 'approver' | 'signature' };

/**
 * Whether a statement is signed, in the namespace of approvals, with a key of the approver whom it names. Whether the key may
 * be used at an instant, and whether the answer counts, the gate judges. `text` must be the bytes that were signed.
 */
export async function verifyStatement(text: string, signature: string, policy: Policy): Promise<Verified> {
  const statement = readStatement(text);
  if (statement === null) return { ok: false, reason: 'statement' };
  const approver = policy.approvers.find(({ name }) => name === statement.approver);
  if (approver === undefined || approver.keys.length === 0) return { ok: false, reason: 'approver' };
  return withFiles({ signature }, async (path) => {
    for (const entry of approver.keys) {
      if (await isSignedBy(entry.key, text, path('signature')))
        return { ok: true, statement, key: keyIdentity(entry.key), approver } as const;
    }
    return { ok: false, reason: 'signature' } as const;
  });
}

/** One key is asked at a time, so that what comes out is which key it was, and not only that it was one of them. */
async function isSignedBy(key: string, text: string, signatureFile: string): Promise<boolean> {
  const signers = `approver namespaces="${APPROVAL_NAMESPACE}" ${keyIdentity(key)}\n`;
  return withFiles({ signers }, async (path) => {
    const { code } = await keygen(
      [
        '-Y',
        'verify',
        '-f',
        path('signers'),
        '-I',
        'approver',
        '-n',
        APPROVAL_NAMESPACE,
        '-s',
        signatureFile,
      ],
      text,
    );
    return code === 0;
  });
}
