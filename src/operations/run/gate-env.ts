import { type Approval, isSignedAsRecorded, verifyStatement } from '../../gate/approval/statement.ts';
import type { LoadedPolicy } from '../../gate/policy/schema.ts';
import { loadTools } from '../../proof/tools.ts';
import type { GateEnv } from '../../run/decide/draft.ts';
import type { RecordedApproval } from '../../run/gate-state.ts';
import type { RunState } from '../../run/state.ts';
import type { OperationContext } from '../context.ts';

/** What judging needs for this run: the policy as it stands now, and the approvals whose signatures hold under it. */
export async function gateEnvOf(ctx: OperationContext, state: RunState): Promise<GateEnv> {
  const policy = (await ctx.policy?.()) ?? null;
  return {
    actor: ctx.caller.actor,
    policy,
    approvals: verified(state.gate.approvals, policy),
    tools: await loadTools({ patterns: true, schemas: true }),
    holdsSecret: (text) => ctx.redact(text) !== text,
    redact: ctx.redact,
  };
}

/**
 * A record of a signature is no signature: each is verified again, whenever it is to count. A denial was accepted when it was
 * given and stays: it is verified by the key that it was recorded with, whatever the policy says of that key by now.
 */
function verified(recorded: readonly RecordedApproval[], loaded: LoadedPolicy | null): Approval[] {
  return recorded.flatMap(({ text, signature, ...approval }): Approval[] => {
    const taken = { ...approval, taken: true };
    if (approval.source === 'terminal') return [taken];
    if (signature === null || approval.key === null) return [];
    if (approval.statement.decision === 'deny')
      return isSignedAsRecorded(text, signature, approval.key) ? [taken] : [];
    const result = loaded === null ? null : verifyStatement(text, signature, loaded.policy);
    return result?.ok === true ? [{ ...taken, statement: result.statement, key: result.key }] : [];
  });
}
