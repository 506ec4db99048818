import type { Receipt } from '../../gate/receipt.ts';
import { cleanText, type EntryData } from '../../ledger/entry.ts';
import type { Demand } from '../../proof/demand.ts';
import { keptOfMcp } from '../../proof/mcp.ts';
import { keptOfShell } from '../../proof/shell.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { ProofAcceptedData, ProofRejectedData } from '../entry-data.ts';
import { capturesOf } from '../inputs.ts';
import type { Station } from '../state.ts';
import type { DecisionBuilder, RunProblem, Submission } from './draft.ts';
import { type Attempt, belongsToPending } from './judge.ts';

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
