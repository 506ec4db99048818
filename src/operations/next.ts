import * as z from 'zod/mini';
import { sha256Hex } from '../base/canonical.ts';
import { redactValue } from '../base/json.ts';
import type { EntryData, EntryKind } from '../ledger/entry.ts';
import type { Demand } from '../proof/demand.ts';
import { stepUri } from '../protocol/identity.ts';
import type { Assurance, ProofOfWork } from '../protocol/schema.ts';
import { decideSkip } from '../run/decide/attest.ts';
import type { AskFailure, Submission } from '../run/decide/draft.ts';
import { currentProposal, templateOf } from '../run/decide/guard.ts';
import { belongsToPending } from '../run/decide/judge.ts';
import { decideNext, isAllowed } from '../run/decide/solve.ts';
import { isSamePlace } from '../run/ports.ts';
import { pendingStation, type RunState } from '../run/state.ts';
import type { RunFields } from '../run/walk-fields.ts';
import type { OperationContext } from './context.ts';
import { mergeSolution, parseInput } from './input.ts';
import { answerOf } from './run/answer.ts';
import { capturesSecret } from './run/inputs.ts';
import { locateRun, resolveUri, resolveUriOfCall } from './run/locate.ts';
import { type LoadedRun, loadRun, transact } from './run/transact.ts';

export const nextInput = z.strictObject({
  uri: z.string(),
  solution: z.optional(z.unknown()),
  /** Deprecated aliases of `solution`. */
  proof_of_work: z.optional(z.unknown()),
  proof_of_work_result: z.optional(z.unknown()),
  run_id: z.optional(z.string()),
});
export type NextInput = z.input<typeof nextInput>;

/** How the interface obtained a solution: its assurance, and what it did. */
interface SolutionOrigin {
  assurance: Assurance;
  prelude?: NextCall['prelude'];
  failed?: NextCall['failed'];
  aside?: NextCall['aside'];
  given?: NextCall['given'];
}

/** `kairos_next`: checks the solution of the pending step and shows the next one. */
export async function next(
  ctx: OperationContext,
  raw: NextInput,
  obtained: SolutionOrigin = { assurance: 'claimed' },
): Promise<RunFields> {
  const input = parseInput(nextInput, raw);
  return nextStep(ctx, { uri: input.uri, runId: input.run_id, ...mergeSolution(input), ...obtained });
}

interface NextCall {
  uri: string;
  runId: string | undefined;
  /** Undefined: no solution. */
  solution: unknown;
  /** The assurance of the solution; `claimed` unless the interface itself obtained it. */
  assurance: Assurance;
  /** What the interface did to obtain it; written in the same append as the verdict. */
  prelude?: { kind: EntryKind; data: EntryData }[];
  /** What asking for it came to, where it came to nothing; the solution then only carries nonce and proof_hash. */
  failed?: AskFailure;
  /** A person gave it outside of the agent's session. */
  aside?: boolean;
  /** The solution before the interface redacted it; absent: it did not. */
  given?: unknown;
  /** Deprecation lines of the interface, for the result. */
  notes?: string[];
}

/** `kairos_next`. */
async function nextStep(ctx: OperationContext, call: NextCall): Promise<RunFields> {
  const step = await resolveUriOfCall(ctx, call);
  const located = await locateRun(ctx, 'kairos_next', call, step);
  if ('answer' in located) return located.answer;
  const submission = submissionOf(ctx, call);
  const decision = await transact(ctx, located.run, (draft) => {
    draft.notes.push(...(call.notes ?? []));
    return decideNext(draft, draft.state.chainId === step.chainId ? step.index : null, submission);
  });
  return answerOf(ctx, decision, 'kairos_next');
}

/**
 * Shows the pending step if this answer isn't about it, because another session or the page has continued the run since. Null:
 * the answer is current. Nothing is counted, and no permit is used.
 */
export async function shownAgain(
  ctx: OperationContext,
  state: RunState,
  { challenge }: RunFields,
): Promise<RunFields | null> {
  const pending = pendingStation(state);
  if (pending === null) return null;
  const asksNow =
    pending.kind === 'none' ||
    templateOf(pending) !== undefined ||
    belongsToPending(state, state.nonces.get(sha256Hex(challenge?.nonce ?? '')), ctx.clock());
  if (state.shown && asksNow) return null;
  return next(ctx, { uri: stepUri(state.chainId, pending.step), run_id: state.runId });
}

/** Passes the pending optional step without a proof. */
export async function skipStep(ctx: OperationContext, runId: string, reason: string): Promise<RunFields> {
  const decision = await transact(ctx, runId, (draft) => decideSkip(draft, ctx.redact(reason)));
  return answerOf(ctx, decision, 'kairos_next');
}

/** Records what an interface did, if it leads to no verdict by itself. Returns false for a sealed record. */
export async function record(
  ctx: OperationContext,
  runId: string,
  kind: EntryKind,
  data: EntryData,
): Promise<boolean> {
  const { entries } = await transact(ctx, runId, (draft) => {
    if (draft.state.sealed === null) draft.write(kind, data);
    return draft.done();
  });
  return entries.length > 0;
}

/** The step whose command or tool call is about to start. */
export interface CommandStart {
  runId: string;
  station: number;
  /** The attempt with an unknown outcome that a person has agreed to repeat. */
  repeats?: string | undefined;
}

/**
 * Records the start of the pending step's command, so that of several sessions only one runs it. Returns false if the run has moved
 * on, or if another session has started a command whose end isn't recorded.
 */
export async function claimStart(
  ctx: OperationContext,
  { runId, station, repeats }: CommandStart,
  data: (state: RunState) => EntryData,
): Promise<boolean> {
  let isFree = false;
  await transact(ctx, runId, (draft) => {
    const { state } = draft;
    isFree = state.sealed === null && state.at === station && state.inDoubt?.attempt === repeats;
    if (isFree) draft.write('command.started', data(state));
    return draft.done();
  });
  return isFree;
}

export function submissionOf(
  ctx: OperationContext,
  {
    solution,
    assurance,
    prelude,
    failed,
    aside,
    given = solution,
  }: Pick<NextCall, 'solution' | 'assurance' | 'prelude' | 'failed' | 'aside' | 'given'>,
): Submission | null {
  if (solution === undefined || solution === null) return null;
  return {
    raw: redactValue(solution, ctx.redact, true),
    given,
    assurance,
    ...(prelude === undefined ? {} : { prelude }),
    ...(failed === undefined ? {} : { failed }),
    ...(aside === undefined ? {} : { aside }),
  };
}

/** A pending shell step. */
export interface PendingCommand {
  runId: string;
  step: number;
  station: number;
  shell: Extract<ProofOfWork, { type: 'shell' }>['shell'];
  /** A proposal guards the step: what is run is what its permit shows. */
  gated: boolean;
  /** Files are read when the command has ended. */
  reads: boolean;
  /** A secret is captured from what it prints. */
  isSecret: boolean;
  run: LoadedRun;
}

/** Whether a call has no solution, or one with only its type. */
export function asksToRun(input: NextInput): boolean {
  const solution = input.solution ?? input.proof_of_work ?? input.proof_of_work_result ?? null;
  if (solution === null) return true;
  if (typeof solution !== 'object') return false;
  const { type, shell, mcp, ...rest } = solution as Record<string, unknown>;
  const bound = Object.keys(rest).every((key) => key === 'nonce' || key === 'proof_hash');
  return (type === 'shell' || type === 'mcp') && shell === undefined && mcp === undefined && bound;
}

/** The shell step that a call without a solution asks to run; null when it asks for something else. */
export async function pendingCommand(
  ctx: OperationContext,
  input: NextInput,
): Promise<PendingCommand | null> {
  const found = await pendingProof(ctx, input);
  if (found?.demand.type !== 'shell') return null;
  const { demand, ...pending } = found;
  return { ...pending, shell: demand.shell };
}

/** A pending step that calls a tool of a named server. */
export interface PendingTool extends Omit<PendingCommand, 'shell' | 'reads' | 'isSecret'> {
  mcp: Extract<ProofOfWork, { type: 'mcp' }>['mcp'];
  server: string;
}

/** The same for a step that names a tool and its server. */
export async function pendingTool(ctx: OperationContext, input: NextInput): Promise<PendingTool | null> {
  const found = await pendingProof(ctx, input);
  if (found?.demand.type !== 'mcp' || found.demand.mcp.server === undefined) return null;
  const { demand, reads: _, isSecret: __, ...pending } = found;
  return { ...pending, mcp: demand.mcp, server: demand.mcp.server! };
}

async function pendingProof(
  ctx: OperationContext,
  { uri, run_id: runId }: NextInput,
): Promise<(Omit<PendingCommand, 'shell'> & { demand: Demand }) | null> {
  const step = await resolveUri(ctx, uri);
  const located = await locateRun(ctx, 'kairos_next', { uri, runId, solution: undefined }, step);
  if ('answer' in located) return null;
  const run = await loadRun(ctx, located.run);
  if (run === null || run.state.sealed !== null || !run.state.shown) return null;
  const { state } = run;
  const pending = pendingStation(state);
  if (pending?.kind !== 'proof') return null;
  if (!isAllowed(state, pending, state.chainId === step.chainId ? step.index : null)) return null;
  return {
    runId: located.run.runId,
    step: pending.step,
    station: state.at,
    demand: pending.demand,
    gated: templateOf(pending) !== undefined,
    reads: pending.block.outputs !== undefined,
    isSecret: capturesSecret(pending.block),
    run,
  };
}

/** Without a permit to use there is nothing to run; the ordinary answer shows what to do. */
export function serverMayRun({ gated, run }: Pick<PendingCommand, 'gated' | 'run'>): boolean {
  const proposal = currentProposal(run.state);
  return !gated || (proposal?.decision === 'ALLOW' && !proposal.used);
}

/** Whether a run works in the same directory and on the same machine as this interface. */
export function isHere({ place }: OperationContext, state: RunState): boolean {
  return place === undefined || isSamePlace(state.place, place);
}
