import type { Approval } from '../../gate/approval/statement.ts';
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
    approvals: await verified(state.gate.approvals, policy),
    tools: await loadTools({ patterns: true, schemas: true }),
    holdsSecret: (text) => ctx.redact(text) !== text,
    redact: ctx.redact,
  };
}

/** A record of a signature is no signature: each is verified again, whenever it is to count. */
async function verified(
  recorded: readonly RecordedApproval[],
  loaded: LoadedPolicy | null,
): Promise<Approval[]> {
  if (loaded === null || recorded.length === 0) return [];
  const { verifyStatement } = await import('../../host/ssh/verify.ts');
  const approvals: Approval[] = [];
  for (const { text, signature, ...approval } of recorded) {
    if (approval.source === 'terminal') {
      approvals.push(approval);
    } else if (signature !== null) {
      const result = await verifyStatement(text, signature, loaded.policy);
      if (result.ok) approvals.push({ ...approval, statement: result.statement, key: result.key });
    }
  }
  return approvals;
}
