import { redactValue } from '../../base/json.ts';
import type { Receipt } from '../../gate/receipt.ts';
import { cleanText, type EntryData } from '../../ledger/entry.ts';
import { keptOfMcp } from '../../proof/mcp.ts';
import { keptOfShell, redactedShell } from '../../proof/shell.ts';
import { stepUri } from '../../protocol/identity.ts';
import { type ProofAcceptedData, type ProofRejectedData, redactedData } from '../entry-data.ts';
import { secretNames, without } from '../inputs.ts';
import { secretDigests } from '../ports.ts';
import type { Station } from '../state.ts';
import { MESSAGES } from '../wording.ts';
import type { DecisionBuilder, RunProblem, Submission } from './draft.ts';
import {
  type Attempt,
  belongsToPending,
  type CapturedValues,
  captureRedaction,
  givenSolution,
} from './judge.ts';

export function recordAcceptance(
  draft: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
  {
    proof,
    outputs,
    captured: { values, secrets } = { values: {}, secrets: {} },
    receipt,
  }: { proof: EntryData; outputs?: EntryData[]; captured?: CapturedValues; receipt: object },
): string {
  const { state, env } = draft;
  const shown = without(values, secrets);
  const names = Object.keys(values).filter((name) => Object.hasOwn(secrets, name));
  const captureData = {
    ...(Object.keys(shown).length === 0 ? {} : { captures: shown }),
    ...(names.length === 0 ? {} : { secret_captures: names }),
    ...secretDigests(env.digest, state.runId, secrets),
  };
  Object.assign(draft.secretValues, secrets);
  const declared = secretNames(state.template);
  draft.notes.push(...names.filter((name) => !declared.has(name)).map(MESSAGES.looksSecret));
  const data: ProofAcceptedData = {
    step: pending.step,
    station: state.at,
    uri: stepUri(state.chainId, pending.step),
    type: pending.demand.type,
    [pending.demand.type]: withoutSecrets(proof, attempt, draft, secrets),
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
  attempt: Attempt,
  { env }: DecisionBuilder,
  secrets: CapturedValues['secrets'],
): EntryData {
  if (Object.keys(secrets).length === 0) return proof;
  const redact = env.redactAlso(secrets);
  const { type, shell } = givenSolution(attempt);
  if (type === 'shell') {
    const { duration_ms: duration } = proof;
    return {
      ...keptOfShell(redactedShell(shell, redact)),
      ...(duration === undefined ? {} : { duration_ms: duration }),
    };
  }
  // Value by value first: a text in the result may be JSON itself, where a secret is escaped twice.
  const mcp = type === 'mcp' ? keptOfMcp(redactValue(attempt.solution.mcp, redact)) : {};
  return redactedData({ ...proof, ...mcp }, redact);
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
    ...keptOf(draft, pending, attempt),
    ...(problem.code === 'EFFECT_EXCEEDED' ? receipt : {}),
  };
  draft.write('proof.rejected', data);
}

/** The output or result of the step, unless the entry for the end of the command contains it. */
function keptOf(
  draft: DecisionBuilder,
  pending: Exclude<Station, { kind: 'none' }>,
  attempt: Attempt,
): EntryData {
  const { solution, submission } = attempt;
  const redact = captureRedaction(draft, pending, givenSolution(attempt));
  if (redact === null) return {};
  const has = submission.prelude?.some(({ data }) => data.stdout !== undefined || data.stderr !== undefined);
  if (pending.demand.type === 'shell' && has !== true)
    return { shell: keptOfShell(redactedShell(solution.shell, redact)) };
  return pending.demand.type === 'mcp'
    ? { mcp: redactedData(keptOfMcp(redactValue(solution.mcp, redact)), redact) }
    : {};
}

/** Foreign words are kept as text and not at any length. */
const MAX_REASON = 1000;

function reasonOf({ failed }: Submission): { reason?: string } {
  return failed?.reason === undefined ? {} : { reason: cleanText(failed.reason.slice(0, MAX_REASON)) };
}
