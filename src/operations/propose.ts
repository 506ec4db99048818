import type { GateAnswer, GateDecision } from '../gate/decide.ts';
import type { Violation } from '../gate/violation.ts';
import { decidePropose, judgeAgain } from '../run/decide/answer.ts';
import { judgeProposal, templateOf } from '../run/decide/guard.ts';
import type { DecidedProposal } from '../run/gate-state.ts';
import { pendingStation, type RunState } from '../run/state.ts';
import type { RunFields } from '../run/walk-fields.ts';
import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';
import { answerOf } from './run/answer.ts';
import { gateEnvOf } from './run/gate-env.ts';
import { locateRun, resolveUri } from './run/locate.ts';
import { loadRun, transact } from './run/transact.ts';
import { type ProposeInput, type ProposeOutput, proposeInput } from './schemas.ts';

/** `kairos_propose`: submits a proposal for the pending gated step and returns the gate's decision. */
export async function propose(ctx: OperationContext, raw: ProposeInput): Promise<ProposeOutput> {
  const { uri, run_id: runId, proposal } = parseInput(proposeInput, raw);
  return proposeStep(ctx, { uri, runId, proposal });
}

interface ProposeCall {
  uri: string;
  runId: string | undefined;
  /** A value, or a JSON text; undefined: the newest one of the step is judged again. */
  proposal: unknown;
}

/** What propose adds to the walk fields. */
interface Proposed {
  decision: GateDecision;
  reasons: Violation[];
  proposal_hash: string | null;
  permit_id?: string;
  approvals?: { needed: number; given: number };
  /** When the permit ends, RFC 3339 UTC. */
  expires_at?: string;
}

/** What the gate would say to a proposal for the pending step now; nothing is recorded. Null when it takes none. */
export async function judgeOnly(
  ctx: OperationContext,
  runId: string,
  proposal: unknown,
): Promise<GateAnswer | null> {
  const run = await loadRun(ctx, runId);
  const station = run === null || run.state.sealed !== null ? null : pendingStation(run.state);
  if (run === null || station?.kind !== 'proof' || templateOf(station) === undefined) return null;
  const gate = await gateEnvOf(ctx, run.state);
  return judgeProposal({ state: run.state, env: { now: ctx.clock() } }, station, proposal, gate);
}

/** What the gate would say to a recorded proposal, submitted again now; null when that can have no effect any more. */
export async function judgeNow(
  ctx: OperationContext,
  state: RunState,
  proposal: DecidedProposal,
): Promise<GateAnswer | null> {
  if (state.sealed !== null || proposal.used) return null;
  // Nobody can submit a rollback again: after a denial the next one is made anew.
  if (proposal.rollback && proposal.decision !== 'HOLD') return null;
  return judgeAgain(state, proposal, await gateEnvOf(ctx, state), ctx.clock());
}

/** `kairos_propose`. */
async function proposeStep(ctx: OperationContext, call: ProposeCall): Promise<RunFields & Partial<Proposed>> {
  const step = await resolveUri(ctx, call.uri);
  const located = await locateRun(ctx, 'kairos_propose', { ...call, solution: undefined }, step);
  if ('answer' in located) return located.answer;
  const decision = await transact(ctx, located.run, (draft) =>
    decidePropose(draft, draft.state.chainId === step.chainId ? step.index : null, call.proposal),
  );
  const { answer } = decision;
  const fields = await answerOf(ctx, decision, 'kairos_propose');
  if (answer === null) return fields;
  return {
    ...fields,
    decision: answer.decision,
    reasons: answer.reasons,
    proposal_hash: answer.proposal_hash,
    ...(answer.approvals.needed > 0 ? { approvals: answer.approvals } : {}),
    ...(answer.permit === null
      ? {}
      : {
          permit_id: answer.permit.permit_id,
          expires_at: new Date(answer.permit.valid_until_ms).toISOString(),
        }),
  };
}
