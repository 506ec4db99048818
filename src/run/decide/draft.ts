import { sha256Hex } from '../../base/canonical.ts';
import { type EntryData, type EntryKind, type LedgerEntry, makeEntry } from '../../ledger/entry.ts';
import type { RandomBytes } from '../../ports/host.ts';
import type { ProofTools } from '../../proof/tools.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { StepShownData } from '../entry-data.ts';
import { evolve } from '../evolve.ts';
import type { RunState } from '../state.ts';
import type { WalkErrorCode } from '../walk-fields.ts';

/** How long a nonce may be used. */
export const NONCE_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** What a decision may know besides the state: all of it handed in, so that deciding is a pure function. */
export interface DecideEnv {
  /** Milliseconds since the epoch. */
  now: number;
  random: RandomBytes;
  tools: ProofTools;
}

/** A solution as it reached the engine, with what is known of where it came from. */
export interface Submission {
  /** As handed in, secrets already redacted. */
  raw: unknown;
  assurance: Assurance;
  /** Entries to write before the verdict, in the same append: what kairos itself did to get the solution. */
  prelude?: { kind: EntryKind; data: EntryData }[];
}

/** What went wrong, for the walker. `message` is fixed words. */
export interface WalkProblem {
  code: WalkErrorCode;
  message: string;
  /** No solution can pass this step with this build: only abort or a changed protocol helps. */
  closed?: true;
}

/** The answer to a command: the entries to append and what is to be told beside the new state. */
export interface Decision {
  entries: LedgerEntry[];
  state: RunState;
  /** In clear only here, once: the nonce of the challenge just shown. */
  nonce: string | null;
  problem: WalkProblem | null;
  /** Hash of the proof that this command stored. */
  proofHash: string | null;
  /** Deprecation lines and other remarks, in fixed words. */
  notes: string[];
}

/** Collects entries, folding each into the state as it is written. */
export class Draft {
  readonly entries: LedgerEntry[] = [];
  readonly notes: string[] = [];
  readonly state: RunState;
  readonly env: DecideEnv;
  readonly #runId: string;
  #nonce: string | null = null;

  constructor(state: RunState, env: DecideEnv, runId: string = state.runId) {
    this.state = state;
    this.env = env;
    this.#runId = runId;
  }

  write(kind: EntryKind, data: EntryData): LedgerEntry {
    const entry = makeEntry(this.#runId, this.state.tip, new Date(this.env.now).toISOString(), kind, data);
    this.entries.push(entry);
    evolve(this.state, entry);
    return entry;
  }

  /** Shows a station: a fresh nonce when it asks for something. */
  show(stationIndex: number): void {
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
    };
    this.write('step.shown', data);
  }

  /** Shows whatever is pending now; a lone step that needs nothing leads straight to the closing comment. */
  showPending(): void {
    const { state } = this;
    this.show(state.at);
    const next = state.stations[state.at + 1];
    if (state.stations[state.at]?.kind === 'none' && next?.kind === 'closing' && next.step === 1) {
      this.show(state.at + 1);
    }
  }

  done(problem: WalkProblem | null = null, proofHash: string | null = null): Decision {
    return {
      entries: this.entries,
      state: this.state,
      nonce: this.#nonce,
      problem,
      proofHash,
      notes: this.notes,
    };
  }
}
