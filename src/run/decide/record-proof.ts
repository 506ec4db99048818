import type { Receipt } from '../../gate/receipt.ts';
import { cleanText, type EntryData, foreignJson } from '../../ledger/entry.ts';
import type { Demand } from '../../proof/demand.ts';
import { keptOfMcp } from '../../proof/mcp.ts';
import { keptOfShell } from '../../proof/shell.ts';
import { readSolution } from '../../proof/solution.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { CallReportedData, ProofAcceptedData, ProofRejectedData } from '../entry-data.ts';
import { capturesOf, secretDigests } from '../inputs.ts';
import { pendingStation, type ReportedCall, type RunState, type Station } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import { consumePermit, hasPermit } from './consume-permit.ts';
import type { Decision, DecisionBuilder, RunProblem, Submission } from './draft.ts';
import { templateOf } from './guard.ts';
import { type Attempt, belongsToPending, solutionDigest } from './judge.ts';

export function recordAcceptance(
  draft: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
  {
    proof,
    outputs,
    captured = {},
    receipt,
  }: { proof: EntryData; outputs?: EntryData[]; captured?: Record<string, string>; receipt: object },
): string {
  const { state, env } = draft;
  const captures = pending.kind === 'proof' ? capturesOf(pending.block) : [];
  const secrets = captures.filter(({ secret }) => secret === true).map(({ name }) => name);
  const hidden = withoutSecrets(proof, secrets, captured);
  const shown = Object.entries(captured).filter(([name]) => !secrets.includes(name));
  const captureData = {
    ...(shown.length === 0 ? {} : { captures: Object.fromEntries(shown) }),
    ...(secrets.length === 0 ? {} : { secret_captures: secrets }),
    ...secretDigests(
      env.digest,
      state.runId,
      Object.fromEntries(secrets.map((name) => [name, captured[name] ?? ''])),
    ),
  };
  for (const name of secrets) draft.secretValues[name] = captured[name] ?? '';
  const data: ProofAcceptedData = {
    step: pending.step,
    station: state.at,
    uri: stepUri(state.chainId, pending.step),
    type: pending.demand.type,
    [pending.demand.type]: hidden,
    ...captureData,
    ...(outputs === undefined ? {} : { outputs }),
    executed_at: new Date(env.now).toISOString(),
    assurance: attempt.submission.assurance,
    nonce_sha256: attempt.nonce?.sha256 ?? null,
    solution_sha256: attempt.sha256,
    echoed: state.echo,
    ...viaOf(attempt),
    ...(pending.kind === 'closing' ? { closing: true } : {}),
    ...receipt,
  };
  return draft.write('proof.accepted', data).hash;
}

/** The proof, with captured secrets redacted in its texts. */
function withoutSecrets(
  proof: EntryData,
  secrets: readonly string[],
  captured: Readonly<Record<string, string>>,
): EntryData {
  return Object.fromEntries(
    Object.entries(proof).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? secrets.reduce(
            (text, name) => (captured[name] ? text.replaceAll(captured[name], `[redacted:${name}]`) : text),
            value,
          )
        : value,
    ]),
  );
}

function viaOf({ submission: { via } }: Attempt): { via?: string } {
  return via === undefined ? {} : { via };
}

const UNCOUNTED = new Set(['USER_DECLINED', 'ELICITATION_FAILED']);

/** With these codes an optional proof never passes, because the solution wasn't an attempt at the demand. */
const NEVER_WAIVED = new Set(['TYPE_MISMATCH', 'MISSING_FIELD', 'ASSURANCE_TOO_LOW']);

export function recordRejection(
  draft: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
  problem: RunProblem,
  /** The solution itself was found wanting: SPEC 3.5 lets an optional proof fail in nothing else. */
  judged: boolean,
  receipt: { receipt?: Receipt } = {},
): void {
  const { state } = draft;
  const usable = belongsToPending(state, attempt.nonce, draft.env.now);
  const data: ProofRejectedData = {
    step: pending.step,
    station: state.at,
    uri: stepUri(state.chainId, pending.step),
    code: problem.code,
    assurance: attempt.submission.assurance,
    counted: !UNCOUNTED.has(problem.code) && attempt.submission.failed?.counted !== false,
    waived: judged && !pending.demand.required && !NEVER_WAIVED.has(problem.code),
    nonce_sha256: usable ? (attempt.nonce?.sha256 ?? null) : null,
    solution_sha256: attempt.sha256,
    ...viaOf(attempt),
    ...reasonOf(attempt.submission),
    message: problem.message,
    ...(problem.wanted === undefined ? {} : { wanted: problem.wanted }),
    ...keptOf(pending.demand.type, attempt),
    ...(problem.code === 'EFFECT_EXCEEDED' ? receipt : {}),
  };
  draft.write('proof.rejected', data);
}

/** The output or result of the step, unless the entry for the end of the command contains it. */
function keptOf(type: Demand['type'], { solution, submission }: Attempt): EntryData {
  const has = submission.prelude?.some(({ data }) => data.stdout !== undefined || data.stderr !== undefined);
  if (type === 'shell' && has !== true) return { shell: keptOfShell(solution.shell) };
  return type === 'mcp' ? { mcp: keptOfMcp(solution.mcp) } : {};
}

/** Foreign words are kept as text and not at any length. */
const MAX_REASON = 1000;

function reasonOf({ failed }: Submission): { reason?: string } {
  return failed?.reason === undefined ? {} : { reason: cleanText(failed.reason.slice(0, MAX_REASON)) };
}

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
    solution_json: foreignJson(solution),
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
  { state }: DecisionBuilder,
  pending: Station,
  attempt: Attempt | null,
): Attempt | null {
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
  if (reported.spent) return null;
  const { nonce, proof_hash } = attempt.solution;
  return {
    ...attempt,
    solution: { ...solution, nonce, proof_hash },
    submission: { ...attempt.submission, assurance, via },
  };
}

type Solution = Attempt['solution'];

/** Whether a claim agrees with what was seen of the call. */
function agrees(claim: Solution, seen: Solution): boolean {
  if (seen.type === 'shell') return same(claim.shell, seen.shell, ['exit_code', 'timed_out', 'signal']);
  return same(claim.mcp, seen.mcp, ['success', 'tool_name']);
}

function same(claim: unknown, seen: unknown, keys: readonly string[]): boolean {
  const [first, second] = [claim, seen].map((value) => (value ?? {}) as Record<string, unknown>);
  return keys.every((key) => (first?.[key] ?? null) === (second?.[key] ?? null));
}
