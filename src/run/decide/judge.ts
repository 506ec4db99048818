import { sha256Hex } from '../../base/canonical.ts';
import { atPointer, isObject, own } from '../../base/json.ts';
import { packetOf, type Receipt, receiptOf } from '../../gate/receipt.ts';
import { type EntryData, foreignJson } from '../../ledger/entry.ts';
import { meets } from '../../proof/demand.ts';
import { checkOutputs } from '../../proof/outputs.ts';
import { isCut } from '../../proof/shell.ts';
import { readSolution, type Solution } from '../../proof/solution.ts';
import { type Verdict, validateSolution } from '../../proof/validate.ts';
import type { PatternTools } from '../../proof/verdict.ts';
import type { Assurance, CaptureDefinition, OutputCheck } from '../../protocol/schema.ts';
import { capturesOf, hasRedaction, misuse, secretsAmong, valueFault } from '../inputs.ts';
import type { ShownNonce } from '../nonces.ts';
import type { RunState, Station } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import type { DecisionBuilder, RunProblem, Submission } from './draft.ts';
import { demandOf, openProposal, templateOf } from './guard.ts';

/** A verdict, with what was read for it (`beyond`: not of the solution itself); or the files to read before there can be one. */
export type Judgement =
  | (Verdict & { outputs?: EntryData[]; captured?: CapturedValues; outsideSolution?: true })
  | { reads: readonly OutputCheck[] };

/** SPEC 3.4 from the type on: type, payload, assurance, and only what has passed all of these looks at files. */
export function judge(
  draft: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
): Judgement {
  const verdict = judgeSolution(draft, pending, attempt);
  const { outputs } = pending.block;
  if (!verdict.ok) return verdict;
  if (outputs === undefined) return withCaptures(draft, pending, attempt, verdict);
  const { env, state } = draft;
  if (env.outputs?.station !== state.at) return { reads: outputs };
  const held = checkOutputs(outputs, env.outputs.readings, env.tools);
  if (!held.ok) return { ...held, outsideSolution: true };
  const captured = withCaptures(draft, pending, attempt, verdict);
  return captured.ok ? { ...captured, outputs: held.observed } : captured;
}

/** What a step provides for later ones; `secrets`: those of the values that are not put on record. */
export interface CapturedValues {
  values: Record<string, string>;
  secrets: Record<string, string>;
}

/** Reads the step's captures from its solution as it came. A capture without a usable value fails the step. */
function withCaptures(
  { env, state }: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
  verdict: Extract<Verdict, { ok: true }>,
): (Verdict & { ok: true; captured?: CapturedValues }) | (Verdict & { ok: false }) {
  const captures = pending.kind === 'proof' ? capturesOf(pending.block) : [];
  if (captures.length === 0) return verdict;
  const failed = (message: string): Verdict & { ok: false } => ({
    ok: false,
    code: 'CAPTURE_FAILED',
    message,
  });
  const taken = takeCaptures(captures, givenSolution(attempt), verdict.proof, env.tools.patterns);
  if (!taken.ok) return failed(taken.message);
  const { values } = taken;
  const lost = redactedCapture(attempt, values);
  if (lost !== null) return failed(MESSAGES.captureRedacted(lost));
  const shown = takeCaptures(captures, attempt.solution, verdict.proof, env.tools.patterns);
  const declared = new Set(captures.filter(({ secret }) => secret === true).map(({ name }) => name));
  const isSecret = (name: string) => declared.has(name) || !shown.ok || shown.values[name] !== values[name];
  const secrets = secretsAmong(values, isSecret, env.redactAlso);
  const misused = misuse(state.template, values, Object.keys(secrets));
  if (misused !== null) return failed(misused);
  return { ...verdict, captured: { values, secrets } };
}

/** The first value that was redacted before the call was reported, so that nothing has it; null: all are there. */
function redactedCapture(
  { submission: { via } }: Attempt,
  values: Readonly<Record<string, string>>,
): string | null {
  if (via === undefined) return null;
  return Object.keys(values).find((name) => hasRedaction(values[name]!)) ?? null;
}

/** Whether a report has redactions in place of values that the step captures. */
export function lacksCapture({ env }: DecisionBuilder, pending: Station, attempt: Attempt): boolean {
  const captures = pending.kind === 'proof' ? capturesOf(pending.block) : [];
  const taken = takeCaptures(captures, attempt.solution, {}, env.tools.patterns);
  return taken.ok ? redactedCapture(attempt, taken.values) !== null : captures.length > 0;
}

/**
 * The captured values of an accepted proof, or why the first capture without a usable one has none. `solution`: not redacted, so that
 * commands get the value unchanged.
 */
export function takeCaptures(
  captures: readonly CaptureDefinition[],
  solution: Solution,
  proof: EntryData,
  patterns: Pick<PatternTools, 'capture'>,
): { ok: true; values: Record<string, string> } | { ok: false; message: string } {
  const values: Record<string, string> = {};
  for (const capture of captures) {
    const { name, secret } = capture;
    const found = readCapture(capture, solution, proof, patterns);
    if (typeof found === 'string') return { ok: false, message: MESSAGES[found](name) };
    const wanted = valueFault(found.value, secret === true);
    if (wanted !== null) return { ok: false, message: MESSAGES.captureUnfit(name, wanted) };
    values[name] = found.value;
  }
  return { ok: true, values };
}

function readCapture(
  { from, pattern, json_pointer }: CaptureDefinition,
  solution: Solution,
  proof: EntryData,
  patterns: Pick<PatternTools, 'capture'>,
): { value: string } | 'captureFailed' | 'captureCut' | 'captureSlow' {
  if (from === 'stdout' && isObject(solution.shell) && isCut('stdout', solution.shell)) return 'captureCut';
  const source = sourceOf(from, solution, proof);
  const pointed = json_pointer === undefined ? source : pointedText(source, json_pointer);
  const value = pointed === null || pattern === undefined ? pointed : patterns.capture(pattern, pointed);
  if (value === undefined) return 'captureSlow';
  return value === null || value === '' ? 'captureFailed' : { value };
}

function sourceOf(
  from: CaptureDefinition['from'],
  { shell, mcp }: Solution,
  proof: EntryData,
): string | null {
  const text = {
    stdout: () => (isObject(shell) ? own(shell, 'stdout') : null),
    result: () => (isObject(mcp) ? foreignJson(own(mcp, 'result') ?? null) : null),
    answer: () => proof.confirmation ?? proof.text,
  }[from]();
  return typeof text === 'string' ? text.replace(/\r?\n$/, '') : null;
}

function pointedText(source: string | null, pointer: string): string | null {
  if (source === null) return null;
  try {
    const place = atPointer(JSON.parse(source), pointer);
    if (!place.found || place.value === null) return null;
    return typeof place.value === 'string' ? place.value : JSON.stringify(place.value);
  } catch {
    return null;
  }
}

/**
 * Redacts what secret captures find in a solution, accepted or not, so that its record has none of it. Null: it can't be
 * redacted, because a value is too short, or the output too long to find it.
 */
export function captureRedaction(
  { env }: DecisionBuilder,
  pending: Station,
  solution: Solution,
): ((text: string) => string) | null {
  const captures = pending.kind === 'proof' ? capturesOf(pending.block) : [];
  const secrets: Record<string, string> = {};
  for (const capture of captures) {
    const found = capture.secret === true ? readCapture(capture, solution, {}, env.tools.patterns) : null;
    if (found === null || found === 'captureFailed') continue;
    if (typeof found === 'string' || valueFault(found.value, true) !== null) return null;
    secrets[capture.name] = found.value;
  }
  return env.redactAlso(secrets);
}

/** Everything that does not look at files. */
export function judgeSolution(
  { state, env }: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
): Verdict {
  const step = state.content.steps[pending.step - 1];
  const { type } = pending.demand;
  const verdict = validateSolution(
    demandOf(state, pending),
    // A person's words count unchanged. They are redacted when they are written.
    type === 'user_input' || type === 'comment' ? givenSolution(attempt) : attempt.solution,
    { stepText: `${step?.label ?? ''}\n${step?.body ?? ''}`, previousComment: state.previousComment },
    env.tools,
  );
  if (!verdict.ok) return verdict;
  const { assurance } = attempt.submission;
  const declinedAt = state.declined.get(state.at);
  if (declinedAt !== undefined && !meets(assurance, declinedAt)) {
    return { ok: false, code: 'USER_DECLINED', message: MESSAGES.declineStands };
  }
  const need = pending.demand.assurance;
  if (need !== undefined && !meets(assurance, need)) {
    return { ok: false, code: 'ASSURANCE_TOO_LOW', message: MESSAGES.assuranceTooLow(need, assurance) };
  }
  return verdict;
}

/** A submission that was read: its solution, what spends a nonce, and what came with it. */
export interface Attempt {
  solution: Solution;
  sha256: string;
  nonce: ShownNonce | null;
  submission: Submission;
}

/** The solution as it came, not redacted. */
export function givenSolution({ solution, submission: { given } }: Attempt): Solution {
  return given === undefined ? solution : readSolution(given).solution;
}

/** Reads a submission and finds the nonce that it names among those shown. */
export function readAttempt(draft: DecisionBuilder, submission: Submission): Attempt {
  const { solution, converted, problems } = readSolution(submission.raw);
  draft.notes.push(...converted, ...problems.map(({ message }) => message));
  const sha256 = typeof solution.nonce === 'string' ? sha256Hex(solution.nonce) : null;
  const nonce = draft.state.nonces.get(sha256);
  // The nonce is on no record, so the digest with it doesn't help to guess a secret; and it stays the same when one is learned.
  const { raw, given = raw } = submission;
  return { solution, sha256: solutionDigest(nonce === null ? raw : given), nonce, submission };
}

/** The first two checks of SPEC 3.4: nonce, then proof_hash. */
export function checkBinding(state: RunState, { nonce, solution }: Attempt, now: number): RunProblem | null {
  if (nonce === null || !belongsToPending(state, nonce, now)) {
    return { code: 'NONCE_MISMATCH', message: nonceMessage(state, nonce, solution, now) };
  }
  if (solution.proof_hash !== nonce.echo) {
    return { code: 'PROOF_HASH_MISMATCH', message: MESSAGES.proofHash };
  }
  return null;
}

/**
 * Unspent, unexpired, shown for the pending station and among the newest that stay valid. Nonces shown under
 * a permit are counted separately, and those that a command was started with stay: asking for the state of a
 * run, however often, doesn't affect a running attempt.
 */
export function belongsToPending(state: RunState, nonce: ShownNonce | null, now: number): boolean {
  if (nonce === null || nonce.station !== state.at || nonce.expiresAt <= now) return false;
  const { nonces } = state;
  if (nonces.spentBy(nonce) !== null || nonces.isVoid(nonce)) return false;
  if (nonces.isHeld(nonce)) return true;
  return nonces
    .valid(state.at, ({ expiresAt, permit }) => expiresAt > now && permit === nonce.permit)
    .includes(nonce);
}

/** Total: an agent's text may contain lone surrogates, which canonical JSON lacks. */
export function solutionDigest(value: unknown): string {
  return sha256Hex(foreignJson(value ?? null));
}

function nonceMessage(
  { nonces }: RunState,
  nonce: ShownNonce | null,
  solution: Solution,
  now: number,
): string {
  if (typeof solution.nonce !== 'string') return MESSAGES.nonceMissing;
  if (nonce === null) return MESSAGES.nonceUnknown;
  if (nonces.spentBy(nonce) !== null) return MESSAGES.nonceSpent;
  return nonce.expiresAt <= now ? MESSAGES.nonceExpired : MESSAGES.nonceUnknown;
}

/** What an accepted proof of a gated step shows about the allowed effects; nothing for other steps. */
export function receiptFor(
  state: RunState,
  station: Exclude<Station, { kind: 'none' }>,
  proof: EntryData,
  assurance: Assurance,
): { receipt?: Receipt } {
  const { open } = state.gate;
  if (open === null || templateOf(station) === undefined) return {};
  const packet = packetOf(station.demand.type, proof);
  return { receipt: receiptOf(open, openProposal(state)?.risk_envelope, packet, assurance) };
}
