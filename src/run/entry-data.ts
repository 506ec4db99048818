import type { GateDecision } from '../gate/decide.ts';
import type { EntryData, Json, LedgerEntry } from '../ledger/entry.ts';
import type { AssuranceCounts } from '../proof/demand.ts';
import type { Assurance } from '../protocol/schema.ts';
import type { RunErrorCode } from './walk-fields.ts';

/**
 * The shape of `data` by entry kind, as this version writes it. Readers must tolerate unknown keys. An entry
 * without its own `actor` or `by` gets a `by` when its writer isn't the run's actor, and `by_account` when that name was only given.
 */
export interface RunBegunData extends EntryData {
  chain_id: string;
  slug: string;
  title: string;
  digest: string;
  space: string;
  step_count: number;
  // Also `content_json`, as `contentData` makes it.
  actor: string;
  // Where the account that acts under this name has another one also `actor_account`.
  face: string;
  session: string | null;
  tool_version: string;
  policy_digest: string | null;
  /** Absolute path of the policy's file; null: no policy. */
  policy_origin: string | null;
  /** Name of the machine, the folder that commands run in, and further folders of outputs; null: not known. */
  host: string | null;
  workdir: string | null;
  roots: string[];
  // Where links lead to these folders also `names`, the other spellings.
  /** Where the store is; null: not known. */
  store: string | null;
  // Where the protocol declares inputs also `inputs`, values by name, and `secret_inputs`, the names of those that are
  // secret, with their keyed digests in `secret_digests`.
  trusted: boolean;
  store_seq: number;
  previous_head: string | null;
}

/** From here on the run works elsewhere; permits and approvals given before are void. */
export interface RunMovedData extends EntryData {
  from: { host: string; workdir: string | null; roots: string[] } | null;
  host: string;
  workdir: string | null;
  roots: string[];
  // Also `names`, as in `run.begun`; `secret_digests` where the key of this data folder made new ones.
  by: string;
}

/** From here on the run is judged by this policy; permits given before are void. */
export interface PolicyAdoptedData extends EntryData {
  from: { policy_digest: string | null; policy_origin: string | null };
  policy_digest: string | null;
  policy_origin: string | null;
  by: string;
}

/** From here on the run follows another revision; challenges, permits and approvals given before are void. */
export interface RunRebasedData extends EntryData {
  from: { digest: string };
  digest: string;
  title: string;
  step_count: number;
  // Also `content_json`, as in `run.begun`.
  /** The steps that were passed before: they are the same, in the same places, in both revisions. */
  carried: number[];
  // Where the revision declares further inputs also `inputs`, `secret_inputs` and `secret_digests`, as in `run.begun`.
  trusted: boolean;
  by: string;
}

export interface StepShownData extends EntryData {
  step: number;
  station: number;
  uri: string;
  /** `none`, `closing`, or the type of the proof asked for. */
  demand: string;
  nonce_sha256: string | null;
  proof_hash: string;
  expires_at: string | null;
  // Where a permit lets the command or tool be shown also `permit_id`.
}

export interface ProofAcceptedData extends EntryData {
  step: number;
  station: number;
  uri: string;
  type: string;
  executed_at: string;
  assurance: Assurance;
  /** Null for the closing message of attest, which needs no nonce. */
  nonce_sha256: string | null;
  solution_sha256: string;
  /** The proof_hash that was echoed. */
  echoed: string;
}

export interface ProofRejectedData extends EntryData {
  step: number;
  station: number;
  uri: string;
  code: RunErrorCode;
  assurance: Assurance;
  counted: boolean;
  /** The proof was optional: the run continues without it. */
  waived: boolean;
  nonce_sha256: string | null;
  solution_sha256: string;
  // Also `message`: why, in fixed text. `shell` or `mcp`: the result. `wanted`: the author's pattern. `reason`: why a verifier
  // refused the answer.
}

/** What a client's hook or the gateway saw of a call that the pending step demands. */
export interface CallReportedData extends EntryData {
  step: number;
  station: number;
  uri: string;
  type: 'shell' | 'mcp';
  via: 'hook' | 'gateway';
  /** The client, or the gateway's server. */
  source: string;
  assurance: Assurance;
  /** The solution that the report makes: canonical JSON. */
  solution_json: string;
}

export interface ProposalDecidedData extends EntryData {
  step: number;
  station: number;
  uri: string;
  proposal_id: string | null;
  proposal_hash: string | null;
  /** RFC 8785 text; null when it could not be read. */
  proposal_json: string | null;
  decision: GateDecision;
  reasons: { [key: string]: Json }[];
  approval_class: string;
  approvals_needed: number;
  approvals_given: number;
  permit: { [key: string]: Json } | null;
  // Where its command names environment or starts files also `surroundings`: `environment`, keyed digests by name, and `files`;
  // where its tool names a server also `server_digest`, null for a missing one.
  policy_digest: string | null;
  actor: string;
  rollback: boolean;
}

export interface ApprovalGivenData extends EntryData {
  step: number;
  proposal_hash: string;
  decision: 'approve' | 'deny';
  approver: string;
  source: 'ssh' | 'terminal';
  /** `type base64`; null for a terminal. */
  key: string | null;
  /** What was signed. */
  statement: string;
  signature: string | null;
  expires_at_ms: number;
  by: string;
}

export interface PermitConsumedData extends EntryData {
  step: number;
  station: number;
  uri: string;
  permit_id: string;
  proposal_hash: string;
  binding: string;
  policy_digest: string | null;
  /** Names of the variables that parameters are handed over in. */
  env: string[];
  actor: string;
  rollback: boolean;
  // For a rollback by a chain also `chain_run_id`: the run of that chain. Where a tool names a server also `server_digest`, empty
  // for a missing one.
}

export interface CommandStartedData extends EntryData {
  step: number;
  attempt: string;
  cmd: string;
  cwd: string;
  env: string[];
  timeout_seconds: number;
  // `rollback: true` for the rollback of a step; `verify: true` for its check.
}

export interface RollbackDoneData extends EntryData {
  step: number;
  permit_id: string;
  proposal_hash: string;
  /** Hash of the proposal whose effect was to roll back. */
  undoes: string;
  /** What was restored: the target of that proposal, and by what. Older entries lack it. */
  restored: { target: { [key: string]: Json } | null; by: string };
  strategy: string;
  succeeded: boolean;
  /** Of what is known of it; kairos itself has seen a command's end, and read a verification. */
  assurance: Assurance;
  /** What was seen, by strategy: `exit_code` and `timed_out`, `chain_run_id` and `outcome`, or `account`. */
  observed: EntryData;
  /** Null where the template names none, or it came to none. */
  verify: { exit_code: number | null; succeeded: boolean } | null;
  deadline_ms: number | null;
  /** Since the step failed. */
  after_ms: number;
  /** Null without a deadline. */
  late: boolean | null;
  by: string;
}

export interface StepSkippedData extends EntryData {
  step: number;
  station: number;
  uri: string;
  reason: string;
}

export interface RunSealedData extends EntryData {
  outcome: 'success' | 'failure';
  message: string;
  uri: string;
  /** A decimal number as text: entries contain no fractions. */
  quality_bonus: string;
  llm_model_id: string | null;
  assurance: AssuranceCounts;
  self_reported: boolean;
}

/** Entries written by kairos have the shape of their kind; the cast is in one place. */
export function dataOf<T extends EntryData>(entry: LedgerEntry): T {
  return entry.data as T;
}

/** Names by which a run and its parts are found again; kairos makes them, or checks them against what it knows. */
const NAMES = new Set([
  ...['chain_id', 'digest', 'space', 'session', 'uri', 'attempt', 'previous_head'],
  ...['actor', 'actor_account', 'by', 'by_account'],
  ...['nonce_sha256', 'solution_sha256', 'proof_hash', 'echoed', 'proposal_hash', 'permit_id', 'binding'],
  ...['policy_digest', 'statement', 'signature', 'key', 'undoes', 'chain_run_id'],
  ...['secret_digests', 'surroundings'],
]);

/** The one place where secrets are removed from what a ledger keeps. */
export function redactedData(data: EntryData, redact: ((text: string) => string) | undefined): EntryData {
  if (redact === undefined) return data;
  const clean = (value: Json): Json => {
    if (typeof value === 'string') return redact(value);
    if (Array.isArray(value)) return value.map(clean);
    return value !== null && typeof value === 'object' ? ofObject(value) : value;
  };
  const ofObject = (object: EntryData): EntryData =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        NAMES.has(name) && !Array.isArray(value) ? value : clean(value),
      ]),
    );
  return ofObject(data);
}

/** The revisions that a run has followed, by digest: the one that it began with first, the one that it follows now last. */
export function followedDigests(entries: readonly Pick<LedgerEntry, 'kind' | 'data'>[]): string[] {
  return entries
    .filter(({ kind }, at) => at === 0 || kind === 'run.rebased')
    .map(({ data }) => data.digest)
    .filter((digest) => typeof digest === 'string');
}

/** The numbers of the steps that a `run.rebased` carried over. */
export function carriedOver({ data: { carried } }: Pick<LedgerEntry, 'data'>): number[] {
  return Array.isArray(carried) ? carried.map(Number) : [];
}
