import { isObject } from '../base/json.ts';
import type { EntryKind, Json, LedgerEntry } from '../ledger/entry.ts';
import { meets } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import {
  type CallReportedData,
  type CommandStartedData,
  dataOf,
  type PolicyAdoptedData,
  type ProofAcceptedData,
  type ProofRejectedData,
  type RunBegunData,
  type RunMovedData,
  type RunRebasedData,
  type RunSealedData,
  type StepShownData,
  type StepSkippedData,
} from './entry-data.ts';
import { foldGate, permitSpent, stationPassed, voidPermits } from './evolve-gate.ts';
import { filledContent, hasRedaction } from './inputs.ts';
import type { RunPlace } from './ports.ts';
import { initialState, type RunState, stationsOf } from './state.ts';

/** Folds one entry into the state. Changes and returns the state it is given; total on every prefix of a ledger. */
export function evolve(state: RunState, entry: LedgerEntry): RunState {
  apply(state, entry);
  state.tip = { seq: entry.seq, hash: entry.hash, at: entry.at };
  return state;
}

/** State after all entries. */
export function replay(content: ChainContent, entries: readonly LedgerEntry[]): RunState {
  return entries.reduce(evolve, initialState(content));
}

function apply(state: RunState, entry: LedgerEntry): void {
  foldGate(state, entry);
  const fold = FOLDS[entry.kind];
  if (fold !== undefined) fold(state, entry);
}

/** Kinds that are not listed are a record for readers and don't change the run. */
const FOLDS: Partial<Record<EntryKind, (state: RunState, entry: LedgerEntry) => void>> = {
  'run.begun': begun,
  'run.moved': moved,
  'policy.adopted': adopted,
  'run.rebased': rebased,
  'step.shown': (state, entry) => shown(state, dataOf<StepShownData>(entry)),
  'proof.accepted': accepted,
  'proof.rejected': rejected,
  'step.skipped': (state, entry) => passed(state, dataOf<StepSkippedData>(entry).station, true),
  'command.started': started,
  'command.finished': (state, { data }) => {
    if (data.rollback !== true && data.attempt === state.inDoubt?.attempt) state.inDoubt = null;
  },
  'run.sealed': sealed,
  'call.reported': reported,
};

function started(state: RunState, entry: LedgerEntry): void {
  const { step, attempt, cmd, rollback } = dataOf<CommandStartedData>(entry);
  // The unknown outcome of a rollback is separate from the step's own.
  if (rollback === true) return;
  state.inDoubt = { step, attempt, cmd, startedAt: entry.at };
  for (const nonce of state.nonces.valid(state.at)) state.nonces.hold(nonce);
}

function begun(state: RunState, entry: LedgerEntry): void {
  const data = dataOf<RunBegunData>(entry);
  state.runId = entry.run_id;
  state.chainId = data.chain_id;
  state.digest = data.digest;
  state.space = data.space;
  state.actor = data.actor;
  state.account = typeof data.actor_account === 'string' ? data.actor_account : data.actor;
  // Ledgers of older versions name neither the place nor, some of them, the policy.
  state.place = recordedPlace(data);
  takeValues(state, data.inputs, data.secret_inputs, data.secret_digests);
  if (data.policy_digest !== undefined)
    state.policy = { digest: data.policy_digest, origin: data.policy_origin ?? null };
}

/** From here on commands get these values, and texts show them. */
function takeValues(
  state: RunState,
  values: Json | undefined,
  secrets: Json | undefined,
  digests: Json | undefined,
): void {
  for (const name of Array.isArray(secrets) ? secrets : []) state.secrets.set(String(name), null);
  takeDigests(state, digests);
  for (const [name, value] of Object.entries(isObject(values) ? values : {})) {
    // Older versions recorded a redaction in place of some values: no command gets that.
    if (hasRedaction(String(value))) state.secrets.set(name, null);
    else state.values[name] = String(value);
  }
  fill(state);
}

function fill(state: RunState): void {
  const secrets = [...state.secrets.keys()];
  if (secrets.length === 0 && Object.keys(state.values).length === 0) return;
  state.content = filledContent(state.template, state.values, secrets);
  state.stations = stationsOf(state.content);
}

function takeDigests({ secrets }: RunState, digests: Json | undefined): void {
  for (const [name, digest] of Object.entries(isObject(digests) ? digests : {}))
    if (secrets.has(name)) secrets.set(name, String(digest));
}

function recordedPlace({ host, workdir, roots, names }: RunBegunData | RunMovedData): RunPlace | null {
  if (typeof host !== 'string') return null;
  const place = { host, workdir, roots: roots ?? [] };
  return Array.isArray(names) ? { ...place, names: names.map(String) } : place;
}

function moved(state: RunState, entry: LedgerEntry): void {
  state.place = recordedPlace(dataOf<RunMovedData>(entry));
  takeDigests(state, entry.data.secret_digests);
  voidPermits(state);
  // What people approved was for another place; what they denied stays denied.
  state.gate.approvals = state.gate.approvals.map((approval) => ({ ...approval, moved: true }));
}

function adopted(state: RunState, entry: LedgerEntry): void {
  const { policy_digest: digest, policy_origin: origin } = dataOf<PolicyAdoptedData>(entry);
  state.policy = { digest, origin };
  voidPermits(state);
}

/** The record doesn't contain the revision: without it, the run reads as before. */
function rebased(state: RunState, entry: LedgerEntry): void {
  const data = dataOf<RunRebasedData>(entry);
  state.digest = data.digest;
  state.template = state.revisions.get(data.digest) ?? state.template;
  state.content = state.template;
  state.stations = stationsOf(state.content);
  takeValues(state, data.inputs, data.secret_inputs, data.secret_digests);
  // What was asked is not asked any more, and a refusal was about that.
  state.shown = false;
  state.retries = 0;
  state.reported = null;
  state.declined.delete(state.at);
  state.nonces.voidFrom(state.at);
  voidPermits(state);
}

function shown(state: RunState, data: StepShownData): void {
  if (data.station > state.at) {
    // Showing a station passes the ones before it that need nothing.
    state.at = data.station;
    state.retries = 0;
  }
  state.shown = true;
  if (data.nonce_sha256 === null) return;
  state.nonces.show({
    sha256: data.nonce_sha256,
    station: data.station,
    echo: data.proof_hash,
    expiresAt: data.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(data.expires_at),
    permit: typeof data.permit_id === 'string' ? data.permit_id : null,
  });
}

function accepted(state: RunState, entry: LedgerEntry): void {
  const data = dataOf<ProofAcceptedData>(entry);
  state.nonces.spend(data.nonce_sha256, data.solution_sha256);
  state.proofs.push({
    hash: entry.hash,
    station: data.station,
    step: data.step,
    type: data.type,
    assurance: data.assurance,
    at: data.executed_at,
    stored: state.keepsEvidence ? (data[data.type] ?? null) : null,
    place: state.place,
  });
  const comment = data.comment;
  if (comment !== null && typeof comment === 'object' && !Array.isArray(comment)) {
    if (typeof comment.text === 'string') state.previousComment = comment.text;
  }
  state.echo = entry.hash;
  takeValues(state, data.captures, data.secret_captures, data.secret_digests);
  passed(state, data.station, false);
}

function rejected(state: RunState, entry: LedgerEntry): void {
  const data = dataOf<ProofRejectedData>(entry);
  state.nonces.spend(data.nonce_sha256, data.solution_sha256);
  if (data.code === 'USER_DECLINED') {
    const before = state.declined.get(data.station);
    // A weaker voice repeating the refusal does not lower what is needed to lift it.
    if (before === undefined || !meets(before, data.assurance)) {
      state.declined.set(data.station, data.assurance);
    }
  }
  permitSpent(state, data, entry.at);
  if (data.counted) state.retries += 1;
  if (data.via !== undefined && state.reported !== null) state.reported = { ...state.reported, spent: true };
  if (data.waived) passed(state, data.station, true);
}

function reported(state: RunState, entry: LedgerEntry): void {
  const { station, via, assurance, solution_json: text } = dataOf<CallReportedData>(entry);
  if (station !== state.at) return;
  try {
    state.reported = { via, assurance, solution: JSON.parse(text), spent: false };
  } catch {
    // A report that redaction made invalid JSON is ignored.
    state.reported = null;
  }
}

function passed(state: RunState, station: number, waived: boolean): void {
  if (waived) state.waived.add(station);
  state.at = Math.max(state.at, station + 1);
  state.shown = false;
  state.retries = 0;
  state.reported = null;
  state.inDoubt = null;
  stationPassed(state, waived);
}

function sealed(state: RunState, entry: LedgerEntry): void {
  const data = dataOf<RunSealedData>(entry);
  state.sealed = {
    outcome: data.outcome,
    message: data.message,
    uri: data.uri,
    qualityBonus: Number(data.quality_bonus),
    at: entry.at,
    head: entry.hash,
  };
}
