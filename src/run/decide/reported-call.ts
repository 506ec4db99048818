import { redactValue } from '../../base/json.ts';
import { foreignJson } from '../../ledger/entry.ts';
import { contradictsResult } from '../../proof/mcp.ts';
import { readSolution } from '../../proof/solution.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { CallReportedData } from '../entry-data.ts';
import { pendingStation, type ReportedCall, type RunState, type Station } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import { consumePermit, hasPermit } from './consume-permit.ts';
import type { Decision, DecisionBuilder } from './draft.ts';
import { templateOf } from './guard.ts';
import { type Attempt, captureRedaction, lacksCapture, solutionDigest } from './judge.ts';

/** What a hook or the gateway saw of a call. */
export interface CallReport extends Pick<ReportedCall, 'via' | 'assurance'> {
  /** The client, or the server behind the gateway. */
  source: string;
  type: 'shell' | 'mcp';
  /** The solution that the call makes, secrets already redacted. */
  solution: unknown;
}

/** Puts a report about the pending step on record. Writes nothing for another type, a sealed run or a step without its permit. */
export function decideReport(draft: DecisionBuilder, report: CallReport): Decision {
  const { state } = draft;
  const pending = pendingStation(state);
  if (state.sealed !== null || pending?.kind !== 'proof' || pending.demand.type !== report.type)
    return draft.done();
  if (!isPermitted(state, pending)) return draft.done();
  const redact = captureRedaction(draft, pending, readSolution(report.solution).solution);
  if (redact === null) return draft.done();
  // What was observed is not replaced by a client's report of the same call.
  const { reported } = state;
  if (report.assurance === 'client' && reported?.assurance === 'observed' && !reported.spent)
    return draft.done();
  const { type, via, source, assurance, solution } = report;
  const data: CallReportedData = {
    step: pending.step,
    station: state.at,
    uri: stepUri(state.chainId, pending.step),
    type,
    via,
    source,
    assurance,
    solution_json: redact(foreignJson(redactValue(solution, redact))),
  };
  draft.write('call.reported', data);
  return draft.done();
}

/** Whether the call of a station may still be made: its permit, if it needs one, is for one call. */
export function isCallable(state: RunState, station: Station): boolean {
  if (templateOf(station) === undefined) return true;
  return state.gate.open !== null && state.reported === null && state.inDoubt === null;
}

/**
 * Puts the start of a call on record that the pending step demands, where it needs a permit: that is used first. `refused`: it may
 * not be made now.
 */
export function startCall(
  draft: DecisionBuilder,
  step: number,
  { attempt, cmd }: { attempt: string; cmd: string },
): 'free' | 'started' | 'refused' {
  const pending = pendingStation(draft.state);
  if (pending?.step !== step || pending.kind !== 'proof') return 'refused';
  if (templateOf(pending) === undefined) return 'free';
  if (hasPermit(draft.state, draft.env.now)) consumePermit(draft, pending);
  if (!isCallable(draft.state, pending)) return 'refused';
  draft.write('command.started', { step, attempt, cmd, cwd: '/', env: [], timeout_seconds: 0 });
  return 'started';
}

/** Whether the call of a station may be made now: it has no proposal, or its permit was used to show the call. */
export function isPermitted({ gate }: RunState, station: Station): boolean {
  return templateOf(station) === undefined || gate.open !== null;
}

/**
 * The attempt that a report makes of a call to `kairos_next`: the report itself where the agent sent no solution or one
 * that agrees, else a failed one. Null without a report that counts.
 */
export function reportedAttempt(
  draft: DecisionBuilder,
  pending: Station,
  attempt: Attempt | null,
): Attempt | null {
  const { state } = draft;
  const { reported } = state;
  if (reported === null || pending.kind !== 'proof' || !isPermitted(state, pending)) return null;
  if (attempt === null && reported.spent) return null;
  const { via, assurance } = reported;
  const { solution } = readSolution(reported.solution);
  if (attempt === null) {
    const submission = { raw: reported.solution, assurance, via };
    return { solution, sha256: solutionDigest(reported.solution), nonce: null, submission };
  }
  // What kairos saw itself needs no report.
  if (attempt.submission.assurance !== 'claimed' || attempt.submission.failed !== undefined) return null;
  if (attempt.solution.type !== pending.demand.type) return null;
  if (!agrees(attempt.solution, solution)) {
    const failed = {
      code: 'CLAIM_CONTRADICTED',
      message: MESSAGES.claimContradicted,
      counted: true,
    } as const;
    return { ...attempt, submission: { ...attempt.submission, failed } };
  }
  const { nonce, proof_hash } = attempt.solution;
  const { given: _, ...submission } = attempt.submission;
  const seen = {
    ...attempt,
    solution: { ...solution, nonce, proof_hash },
    submission: { ...submission, assurance, via },
  };
  // Without a value that the step captures, the report is of less use than the claim.
  return reported.spent || lacksCapture(draft, pending, seen) ? null : seen;
}

type Solution = Attempt['solution'];
type McpClaim = { result?: unknown };

/** Whether a claim agrees with what was seen of the call. */
function agrees(claim: Solution, seen: Solution): boolean {
  if (seen.type === 'shell') return same(claim.shell, seen.shell, ['exit_code', 'timed_out', 'signal']);
  const [told, known] = [claim.mcp, seen.mcp] as [McpClaim?, McpClaim?];
  return same(told, known, ['success', 'tool_name']) && !contradictsResult(told?.result, known?.result);
}

function same(claim: unknown, seen: unknown, keys: readonly string[]): boolean {
  const [first, second] = [claim, seen].map((value) => (value ?? {}) as Record<string, unknown>);
  return keys.every((key) => (first?.[key] ?? null) === (second?.[key] ?? null));
}
