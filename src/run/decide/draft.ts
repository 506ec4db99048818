import { sha256Hex } from '../../base/canonical.ts';
import type { CommandLine } from '../../base/command-line.ts';
import type { Approval } from '../../gate/approval/statement.ts';
import { fillTemplate } from '../../gate/fill.ts';
import type { CommandSurroundings, NamedChain, NamedServer } from '../../gate/input.ts';
import type { LoadedPolicy } from '../../gate/policy/schema.ts';
import type { Violation as Reason } from '../../gate/violation.ts';
import { type EntryData, type EntryKind, type LedgerEntry, makeEntry } from '../../ledger/entry.ts';
import type { Demand } from '../../proof/demand.ts';
import type { OutputReading } from '../../proof/outputs.ts';
import type { ProofTools } from '../../proof/tools.ts';
import type { ProofRejection } from '../../proof/verdict.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Assurance, OutputCheck } from '../../protocol/schema.ts';
import { redactedData, type StepShownData } from '../entry-data.ts';
import { evolve } from '../evolve.ts';
import type { RandomBytes, StepNames, ValueDigest } from '../ports.ts';
import { type RedactAlso, redactExactly } from '../ports.ts';
import { pendingStation, type ReportedCall, type RunState, type Station } from '../state.ts';
import { MESSAGES } from '../wording.ts';

/** How long a nonce may be used. */
export const NONCE_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * What a decision may know in addition to the state: all of it passed in, so that deciding is a pure
 * function.
 */
export interface DecideEnv {
  /** Milliseconds since the epoch. */
  now: number;
  random: RandomBytes;
  tools: ProofTools;
  /** The caller as the record names it; absent: the run's actor. */
  actor?: string;
  /** Bearer identity or OS user of the caller; absent: the actor. */
  identity?: string;
  /** The command of the pending station is being run by this program just now. */
  running?: boolean;
  /** The content of the files that this station's outputs name; absent until a decision has asked for it. */
  outputs?: { station: number; readings: readonly OutputReading[] };
  /** Present when the pending station is gated by a proposal. */
  gate?: GateEnv;
  /** Removes secrets from a text before it is written. */
  redact?: (text: string) => string;
  /** The same with these secrets in addition. Absent: exact values alone. */
  redactAlso?: RedactAlso;
  /** Makes the digests of captured secrets. Absent: the pending step captures none, or no key is known. */
  digest?: ValueDigest;
  /** Makes the commands that remarks name; absent: store and space are the defaults. */
  commandLine?: CommandLine;
}

/** What judging a proposal needs besides the state. */
export interface GateEnv {
  /** Bearer identity or OS user of the caller. */
  actor: string;
  policy: LoadedPolicy | null;
  /**
   * What prevents the gate from permitting any proposal here: another policy than the recorded one, another
   * machine.
   */
  obstacles: readonly Reason[];
  /** The run's approvals with valid signatures. */
  approvals: readonly Approval[];
  /** With patterns and schemas. */
  tools: ProofTools;
  holdsSecret: (text: string) => boolean;
  redact: (text: string) => string;
  surroundings: Surroundings;
  /** The newest instant that the gate of this machine knows, in milliseconds since the epoch: what had run out by then stays so. */
  notBefore: number;
}

/** What the names in a step stand for now. The record lacks it, so approvals and permits bind it. */
export interface Surroundings {
  /** By name. Null: it is missing here. */
  servers: ReadonlyMap<string, NamedServer | null>;
  /** By URI; protocols that are not in the store are not here. */
  chains: ReadonlyMap<string, NamedChain>;
  linkedFolder: StepNames['linkedFolder'];
  /** Of a command that works in a folder. Absent for one that names no environment and starts no file. */
  ofCommand: (shell: ShellDefinition, folder: string) => CommandSurroundings | undefined;
}
type ShellDefinition = Extract<Demand, { type: 'shell' }>['shell'];

/** A solution as it reached the engine, with what is known of where it came from. */
export interface Submission {
  /** As submitted, secrets already redacted. */
  raw: unknown;
  /** As submitted: what is captured is read from it, and nothing of it is written. Absent: as `raw`. */
  given?: unknown;
  assurance: Assurance;
  /** Entries to write before the verdict, in the same append: what kairos itself did to get the solution. */
  prelude?: { kind: EntryKind; data: EntryData }[];
  /** The interface asked and got nothing that could be judged; this is the result of the attempt. */
  failed?: AskFailure;
  /** The solution is a report of what was done, and needs no nonce. */
  via?: ReportedCall['via'];
  /** A person gave it outside of the agent's session, so the next step is left to be shown to the agent. */
  aside?: boolean;
}

/** Why asking came to nothing. */
export interface AskFailure extends RunProblem {
  /** Whether it is one of the failures that a step has. */
  counted: boolean;
  /** Why, in foreign words: for the record, never for the agent. */
  reason?: string;
}

/** What went wrong, for the agent or user. `message` is fixed text. */
export type RunProblem = Omit<ProofRejection, 'ok'>;

/** The result of a command: the entries to append, and the message in addition to the new state. */
export interface Decision {
  entries: LedgerEntry[];
  state: RunState;
  /** In clear only here, once: the nonce of the challenge just shown. */
  nonce: string | null;
  problem: RunProblem | null;
  /** The template of a gated step, filled in as far as possible; null when none is shown. */
  proposal: Record<string, unknown> | null;
  /** The command of the pending station is running, so its end isn't unknown. */
  running: boolean;
  /** Hash of the proof that this command stored. */
  proofHash: string | null;
  /** Not null: nothing is decided yet, since these files have to be read first. The entries are not to be written. */
  reads: readonly OutputCheck[] | null;
  /** Deprecation lines and other remarks, in fixed words. */
  notes: string[];
  /** What was captured as a secret, for this process alone. */
  secretValues: Readonly<Record<string, string>>;
  /** The pending step's text belongs to the answer: it is shown for the first time, or the caller may have missed it. */
  tellsStep: boolean;
}

/** Collects the entries of a decision, and folds each into the state when it is added. */
export class DecisionBuilder {
  readonly entries: LedgerEntry[] = [];
  readonly notes: string[] = [];
  /** What was captured as a secret: never written. */
  readonly secretValues: Record<string, string> = {};
  readonly state: RunState;
  readonly env: DecideEnv & { redactAlso: RedactAlso };
  readonly #runId: string;
  /** The step that had been shown before; null when none is. */
  readonly #before: number | null;
  #tellsStep = false;
  #nonce: string | null = null;
  #proposal: Record<string, unknown> | null = null;

  constructor(state: RunState, env: DecideEnv, runId: string = state.runId) {
    this.state = state;
    this.env = { ...env, redactAlso: env.redactAlso ?? redactExactly(env.redact) };
    this.#runId = runId;
    this.#before = state.shown ? (pendingStation(state)?.step ?? null) : null;
  }

  /** The answer has the text of the pending step again. */
  tellStep(): void {
    this.#tellsStep = true;
  }

  write(kind: EntryKind, data: EntryData): LedgerEntry {
    const { now, redact } = this.env;
    const at = new Date(now).toISOString();
    const entry = makeEntry(
      this.#runId,
      this.state.tip,
      at,
      kind,
      redactedData(signed(this.state, data, this.env), redact),
    );
    this.entries.push(entry);
    evolve(this.state, entry);
    return entry;
  }

  /** Shows a station: a fresh nonce when it asks for something. With a permit, what that permits is shown. */
  show(stationIndex: number, permitId?: string): void {
    const station = this.state.stations[stationIndex];
    if (station === undefined) return;
    const asks = station.kind !== 'none';
    this.#nonce = asks ? Buffer.from(this.env.random(16)).toString('hex') : null;
    const data: StepShownData = {
      step: station.step,
      station: stationIndex,
      uri: stepUri(this.state.chainId, station.step),
      demand: station.kind === 'proof' ? station.demand.type : station.kind,
      nonce_sha256: this.#nonce === null ? null : sha256Hex(this.#nonce),
      proof_hash: this.state.echo,
      expires_at: asks ? new Date(this.env.now + NONCE_LIFETIME_MS).toISOString() : null,
      ...(permitId === undefined ? {} : { permit_id: permitId }),
    };
    this.#proposal = permitId === undefined ? this.#fill(station) : null;
    this.write('step.shown', data);
  }

  /** Shows what is pending now; a lone step that needs nothing leads straight to the closing comment. */
  showPending(): void {
    const { state } = this;
    this.show(state.at);
    const next = state.stations[state.at + 1];
    if (state.stations[state.at]?.kind === 'none' && next?.kind === 'closing' && next.step === 1) {
      this.show(state.at + 1);
    }
  }

  #fill(station: Station): Record<string, unknown> | null {
    const { gate, now, random } = this.env;
    if (gate === undefined || station.kind !== 'proof' || station.block.proposal === undefined) return null;
    const proposalId = randomId(random(16));
    return fillTemplate(station.block.proposal, station.demand, { proposalId, actor: gate.actor, now });
  }

  done(problem: RunProblem | null = null, proofHash: string | null = null): Decision {
    const pending = this.state.sealed === null ? pendingStation(this.state) : null;
    return {
      entries: this.entries,
      state: this.state,
      nonce: this.#nonce,
      problem,
      proposal: this.#proposal,
      running: this.env.running === true,
      proofHash,
      reads: null,
      notes: this.notes,
      secretValues: this.secretValues,
      tellsStep: pending !== null && (this.#tellsStep || this.#before !== pending.step),
    };
  }

  /** Rejects everything on a sealed run, and what would pass a running command; else null. Nothing is written. */
  refuseClosedOrRunning(): Decision | null {
    if (this.state.sealed !== null) return this.done({ code: 'RUN_CLOSED', message: MESSAGES.runClosed });
    if (this.env.running !== true) return null;
    return this.done({ code: 'CONFLICT', message: MESSAGES.running });
  }

  /** Asks for the files that these outputs name, to decide again once they are read. */
  ask(reads: readonly OutputCheck[]): Decision {
    return { ...this.done(), reads };
  }
}

/**
 * Names the writer when that isn't the run's actor: an entry without a name is the actor's own. A name that was only given is
 * followed by the account that gave it, so that each entry shows who really wrote it.
 */
function signed(state: RunState, data: EntryData, { actor, identity = actor }: DecideEnv): EntryData {
  if (actor === undefined || identity === undefined) return data;
  const isGiven = actor !== identity;
  const isNamed = data.by !== undefined || data.actor !== undefined;
  if (isNamed) return isGiven && data.by === actor ? { ...data, by_account: identity } : data;
  if (actor === state.actor && identity === state.account) return data;
  return { ...data, by: actor, ...(isGiven ? { by_account: identity } : {}) };
}

/** A UUID of version 4 (RFC 9562) out of 16 random bytes. */
export function randomId(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
