import * as z from 'zod/mini';
import { KairosError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { GateAnswer, GateDecision } from '../gate/decide.ts';
import { readJsonStrictly } from '../gate/json/read.ts';
import { completeProposal } from '../gate/kernel-request.ts';
import { parameterEnvironment, resolveDemand } from '../gate/permit/permit.ts';
import type { Violation } from '../gate/violation.ts';
import { decidePropose, judgeAgain } from '../run/decide/answer.ts';
import {
  currentProposal,
  fieldsOf,
  judgeProposal,
  permittedDuration,
  templateOf,
} from '../run/decide/guard.ts';
import { type DecidedProposal, lastDenial } from '../run/gate-state.ts';
import { pendingStation, type RunState, type Station } from '../run/state.ts';
import { type RunFields, runFieldsShape } from '../run/walk-fields.ts';
import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';
import { answerOf } from './run/answer.ts';
import { gateEnvOf } from './run/gate-env.ts';
import { locateRun, resolveUri } from './run/locate.ts';
import { loadRun, transact } from './run/transact.ts';

export const proposeInput = z.strictObject({
  uri: z.string(),
  run_id: z.optional(z.string()),
  /**
   * An object or a JSON text, judged by the gate. Omitted: the newest proposal of the step is judged again,
   * as after an approval.
   */
  proposal: z.optional(z.unknown()),
});
export const proposeOutput = z.object({
  ...runFieldsShape,
  decision: z.optional(z.enum(['ALLOW', 'DENY', 'HOLD', 'HALT'])),
  reasons: z.optional(z.array(z.object({ code: z.string(), pointer: z.string(), message: z.string() }))),
  proposal_hash: z.optional(z.nullable(z.string())),
  permit_id: z.optional(z.string()),
  approvals: z.optional(z.object({ needed: z.int(), given: z.int() })),
  expires_at: z.optional(z.string()),
});
export type ProposeInput = z.input<typeof proposeInput>;
export type ProposeOutput = z.infer<typeof proposeOutput>;

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

/** What the gate would decide now on a proposal for the pending step. Records nothing. Null for a step without a proposal. */
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

/** Returns the gate's decision on a recorded proposal as if it were submitted again now. Null when that has no effect. */
export async function judgeNow(
  ctx: OperationContext,
  state: RunState,
  proposal: DecidedProposal,
): Promise<GateAnswer | null> {
  if (state.sealed !== null || proposal.used) return null;
  // A denied rollback can't be submitted again; the next rollback is a new proposal.
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

/** What a step needs before it can be done, because of its proposal. */
export type GuardNeed =
  /** Nothing: no proposal guards the step. */
  | 'nothing'
  /** A proposal. */
  | 'proposal'
  /** A new proposal: the permit of the last one was used, and its outcome is unknown. */
  | 'proposal-after-use'
  /** A new judgement of the recorded proposal. */
  | 'judgement';

/** What the gate needs before this station's step can be done. */
export function guardNeed(state: RunState, station: Station): GuardNeed {
  if (templateOf(station) === undefined) return 'nothing';
  const recorded = currentProposal(state);
  if (recorded?.used === true) return 'proposal-after-use';
  return recorded === null || recorded.decision === 'DENY' ? 'proposal' : 'judgement';
}

/** How many approvals of the current proposal counted when the last answer was given. */
export function givenBefore(state: RunState): number {
  return currentProposal(state)?.answered.given ?? 0;
}

/** Who denied the last proposal of a step, and why; null when it wasn't denied. */
export function denialBefore({ gate }: RunState, step: number): ReturnType<typeof lastDenial> {
  return lastDenial(gate, step);
}

/** A step as its allowed proposal changes it, and the variables that its command gets. */
export function allowedStep<S extends Exclude<Station, { kind: 'none' }>>(
  state: RunState,
  station: S,
): { station: S; environment: Record<string, string> } {
  const proposal = fieldsOf(currentProposal(state)!);
  const { demand } = station;
  return {
    station: { ...station, demand: resolveDemand(demand, proposal) },
    environment: demand.type === 'shell' ? parameterEnvironment(proposal.parameters) : {},
  };
}

/** Throws INVALID_INPUT for another MCP server than the one that the open permit is for. */
export function requirePermittedServer(
  { gate }: RunState,
  { name, digest, file }: { name: string; digest: string; file: string },
): void {
  const permitted = gate.open?.server ?? null;
  if (permitted === null || permitted === digest) return;
  throw new KairosError(
    'INVALID_INPUT',
    `the MCP server ${JSON.stringify(name)} was changed after the permit for it was given`,
    { hint: `Nothing was called. Read ${file}, then submit a new proposal.` },
  );
}

/** The time limit of a step in seconds: `limit`, or the permit's if it is shorter. */
export function permittedSeconds(state: RunState, station: Station, limit: number): number {
  const permitted = permittedDuration(state, station);
  return permitted === null ? limit : Math.min(limit, permitted / 1000);
}

/** Completes a draft with a person's JSON text. Returns a text that isn't an object unchanged, so that the gate rejects it. */
export function completedProposal(draft: Readonly<Record<string, unknown>>, text: string): unknown {
  const { value } = readJsonStrictly(text);
  return isObject(value) ? completeProposal(draft, value) : value;
}
