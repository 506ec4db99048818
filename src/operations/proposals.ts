import { randomUUID } from 'node:crypto';
import { KairosError } from '../base/errors.ts';
import { keyProblem } from '../gate/approval/count.ts';
import { fillTemplate } from '../gate/fill.ts';
import { MAX_PROPOSAL_BYTES } from '../gate/json/read.ts';
import type { Policy } from '../gate/policy/schema.ts';
import { stepUri } from '../protocol/identity.ts';
import { currentProposal, templateOf } from '../run/decide/guard.ts';
import { type DecidedProposal, proposalBy } from '../run/gate-state.ts';
import { pendingStation, type RunState } from '../run/state.ts';
import { orDamaged } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import { callerIdentity, type OperationContext } from './context.ts';
import { loadRun } from './run/transact.ts';

/** Limits for reading a proposal. */
export const proposalLimits = { maxBytes: MAX_PROPOSAL_BYTES };

/** Every proposal of a run, oldest first. */
export async function proposalsOf(ctx: OperationContext, runId: string): Promise<DecidedProposal[]> {
  return [...(await loadRun(ctx, runId))!.state.gate.proposals.values()];
}

/** A proposal that waits for people, or is approved and waits for its proposer. */
export interface WaitingProposal {
  run: RunRow;
  state: RunState;
  proposal: DecidedProposal;
}

/** The proposals of every open run of the space that wait for people. A damaged run has none. */
export async function waitingProposals(ctx: OperationContext): Promise<WaitingProposal[]> {
  const waiting: WaitingProposal[] = [];
  for (const run of await ctx.store.findRuns({ spaces: [ctx.caller.space], open: true })) {
    const loaded = await orDamaged(loadRun(ctx, run.runId));
    if (loaded === null || loaded === 'damaged') continue;
    const { state } = loaded;
    const current = currentProposal(state);
    for (const proposal of state.gate.proposals.values())
      if (proposal.decision === 'HOLD' && !proposal.used && (proposal.rollback || proposal === current))
        waiting.push({ run, state, proposal });
  }
  return waiting;
}

/** The proposal that a hash or its beginning names, else the current or newest one. Throws NOT_FOUND. */
export async function proposalOf(
  ctx: OperationContext,
  runId: string,
  hash: string | undefined,
): Promise<{ state: RunState; proposal: DecidedProposal }> {
  const { state } = (await loadRun(ctx, runId))!;
  const newest = currentProposal(state) ?? [...state.gate.proposals.values()].at(-1) ?? null;
  const proposal = hash === undefined ? newest : proposalBy(state.gate, hash);
  if (proposal === null)
    throw new KairosError('NOT_FOUND', 'the run has no such proposal, or several of them', {
      hint: `See its proposals with: ${ctx.commandLine(['runs', 'show', runId])}`,
    });
  return { state, proposal };
}

/** Approvals and denials of a proposal. */
export function answersTo({ gate }: RunState, { hash }: DecidedProposal) {
  return gate.approvals
    .filter(({ statement }) => statement.proposal_hash === hash)
    .map(({ statement, source, givenAt }) => ({
      ...statement,
      source,
      given_at: new Date(givenAt).toISOString(),
    }));
}

/** URI of the pending step of a run; of its last step when nothing is pending. */
export async function pendingUri(ctx: OperationContext, runId: string): Promise<string> {
  const { state } = (await loadRun(ctx, runId))!;
  return stepUri(state.chainId, pendingStation(state)?.step ?? state.content.steps.length);
}

/** The filled template of the pending step, to complete and submit. Changes nothing. */
export async function draftProposal(ctx: OperationContext, runId: string): Promise<object> {
  const { state } = (await loadRun(ctx, runId))!;
  const station = state.sealed === null ? pendingStation(state) : null;
  const template = templateOf(station);
  if (station?.kind !== 'proof' || template === undefined)
    throw new KairosError('INVALID_INPUT', `the pending step of run ${runId} has no proposal`, {
      hint: `See its state with: ${ctx.commandLine(['runs', 'show', runId])}`,
    });
  const filling = { proposalId: randomUUID(), actor: callerIdentity(ctx.caller), now: ctx.clock() };
  return fillTemplate(template, station.demand, filling);
}

/** How many keys of an approver count now, and why the others don't. */
export function keysOf(
  { keys }: Policy['approvers'][number],
  now: number,
  policy: Policy,
): { usable: number; problems: string[] } {
  const problems = keys.map((entry) => keyProblem(entry, now, policy));
  return {
    usable: problems.filter((problem) => problem === null).length,
    problems: problems.flatMap((problem) => problem ?? []),
  };
}

/** A proposal as `--json` prints it. */
export function proposalObject({
  hash,
  text,
  step,
  actor,
  decision,
  approvals,
  permit,
  used,
  rollback,
}: DecidedProposal) {
  return {
    proposal_hash: hash,
    step,
    actor,
    decision,
    approvals,
    permit,
    used,
    rollback,
    proposal: JSON.parse(text),
  };
}
