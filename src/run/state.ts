import { GENESIS_HASH } from '../base/canonical.ts';
import type { Json } from '../ledger/entry.ts';
import { type AssuranceCounts, countAssurances } from '../proof/assurance.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Assurance } from '../protocol/schema.ts';
import { emptyGate, type GateState } from './gate-state.ts';
import type { Place, PolicyRecord } from './place.ts';
import { type Station, stationsOf } from './stations.ts';

/** Failures of one step after which the walker need not obey any more. */
export const MAX_RETRIES = 3;

/** A nonce that the run has shown. Only its SHA-256 is ever kept. */
export interface ShownNonce {
  sha256: string;
  /** Index of the station it was shown for. */
  station: number;
  /** The proof_hash that was to be echoed with it. */
  echo: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** Digest of the solution that spent it; null while unspent. */
  spentBy: string | null;
  /** The permit whose command was shown with it; null where none was needed or had. */
  permit: string | null;
  /** Whether a command was started with it, or could have been: it stays valid until that is answered or it expires. */
  held: boolean;
}

/** A command that was started and of whose end nothing is known. */
export interface InDoubt {
  step: number;
  attempt: string;
  cmd: string;
  startedAt: string;
}

export interface AcceptedProof {
  /** Hash of the ledger entry. */
  hash: string;
  station: number;
  step: number;
  type: string;
  assurance: Assurance;
  /** RFC 3339 UTC. */
  at: string;
  /** The type's object as the ledger keeps it. */
  stored: Json;
}

export interface SealedResult {
  outcome: 'success' | 'failure';
  message: string;
  uri: string;
  qualityBonus: number;
  at: string;
  head: string;
}

/** The fold of a run's ledger over the chain that it is pinned to, and of nothing else (SPEC 3). */
export interface RunState {
  readonly content: ChainContent;
  readonly stations: Station[];
  runId: string;
  chainId: string;
  digest: string;
  space: string;
  actor: string;
  begunAt: string;
  /** Where the run works now; null in ledgers that do not say. */
  place: Place | null;
  /** What the run is judged by now; null in ledgers that do not say. */
  policy: PolicyRecord | null;
  /** The newest entry; null before the first. */
  tip: { seq: number; hash: string } | null;
  /** Index of the first station not yet passed; `stations.length` once the closing comment is given. */
  at: number;
  /** Whether the station `at` has been shown. */
  shown: boolean;
  /** What a walker has to echo: the hash of the last accepted proof, before the first that of `genesis`. */
  echo: string;
  nonces: ShownNonce[];
  /** Counted failures at the station `at`. */
  retries: number;
  /** The assurance at which a human declined, by station. */
  declined: Map<number, Assurance>;
  previousComment: string | null;
  proofs: AcceptedProof[];
  /** Stations whose optional proof failed or was skipped: passed, and never evidence. */
  waived: Set<number>;
  inDoubt: InDoubt | null;
  gate: GateState;
  sealed: SealedResult | null;
}

export function initialState(content: ChainContent): RunState {
  return {
    content,
    stations: stationsOf(content),
    runId: '',
    chainId: '',
    digest: '',
    space: '',
    actor: '',
    begunAt: '',
    place: null,
    policy: null,
    tip: null,
    at: 0,
    shown: false,
    echo: GENESIS_HASH,
    nonces: [],
    retries: 0,
    declined: new Map(),
    previousComment: null,
    proofs: [],
    waived: new Set(),
    inDoubt: null,
    gate: emptyGate(),
    sealed: null,
  };
}

/** The station that is to be passed next; null once every one is. */
export function pendingStation(state: RunState): Station | null {
  return state.stations[state.at] ?? null;
}

/** Nothing but the closing comment is left, or not even that. */
export function attestIsNext(state: RunState): boolean {
  const pending = pendingStation(state);
  return pending === null || pending.kind === 'closing';
}

/** How many accepted proofs there are of each assurance. */
export function countAssurance({ proofs }: RunState): AssuranceCounts {
  return countAssurances(proofs);
}
