import { GENESIS_HASH } from '../base/canonical.ts';
import type { Json } from '../ledger/entry.ts';
import { type AssuranceCounts, countAssurances, type Demand, type SamplingDemand } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Assurance, ProofOfWork, StepBlock } from '../protocol/schema.ts';
import { emptyGate, type GateState } from './gate-state.ts';
import { Nonces } from './nonces.ts';
import type { PolicyRecord, RunPlace } from './ports.ts';

/** Number of failures of one step after which `must_obey` is false. */
export const MAX_RETRIES = 3;

/** A command that was started and of whose end nothing is known. */
export interface UnknownOutcome {
  step: number;
  attempt: string;
  cmd: string;
  startedAt: string;
}

interface AcceptedProof {
  /** Hash of the ledger entry. */
  hash: string;
  station: number;
  step: number;
  type: string;
  assurance: Assurance;
  /** RFC 3339 UTC. */
  at: string;
  /** The type's object as the ledger contains it. Null in a run without proposals, which needs no evidence. */
  stored: Json;
  /** Where the run worked then; null in ledgers that don't record it. */
  place: RunPlace | null;
}

interface SealedResult {
  outcome: 'success' | 'failure';
  message: string;
  uri: string;
  qualityBonus: number;
  at: string;
  head: string;
}

/** A call that a hook or the gateway saw. Its result overrides what the agent claims. */
export interface ReportedCall {
  via: 'hook' | 'gateway';
  assurance: Assurance;
  solution: unknown;
  /** It was judged and failed the step: it still contradicts claims, and proves nothing more. */
  spent: boolean;
}

/** The fold of a run's ledger over the revisions that it is pinned to, and of nothing else (SPEC 3). */
export interface RunState {
  /** As the run's revision has it. */
  template: ChainContent;
  /** Revisions that the run is carried over to, by digest. */
  revisions: ReadonlyMap<string, ChainContent>;
  /** With the values of inputs and captures in its texts. */
  content: ChainContent;
  stations: Station[];
  /** Inputs and captures by name; secret ones are on no record. */
  values: Record<string, string>;
  /** Keyed digests of secret inputs and captures by name; null in ledgers that don't record one. */
  secrets: Map<string, string | null>;
  /** A step has a proposal, so the contents of other proofs can be evidence for it. */
  readonly keepsEvidence: boolean;
  runId: string;
  chainId: string;
  digest: string;
  space: string;
  actor: string;
  /** The account behind the actor. */
  account: string;
  /** Where the run works now; null in ledgers that don't record it. */
  place: RunPlace | null;
  /** The policy of the run now; null in ledgers that don't record it. */
  policy: PolicyRecord | null;
  /** The newest entry; null before the first. */
  tip: { seq: number; hash: string; at: string } | null;
  /** Index of the first station not yet passed; `stations.length` once the closing comment is given. */
  at: number;
  /** Whether the station `at` has been shown. */
  shown: boolean;
  /** The value to echo: the hash of the last accepted proof, before the first that of `genesis`. */
  echo: string;
  nonces: Nonces;
  /** Counted failures at the station `at`. */
  retries: number;
  /** The assurance at which a human declined, by station. */
  declined: Map<number, Assurance>;
  previousComment: string | null;
  /** What was seen of the call that the station `at` demands; null: nothing. */
  reported: ReportedCall | null;
  proofs: AcceptedProof[];
  /** Stations whose optional proof failed or was skipped: passed, and never evidence. */
  waived: Set<number>;
  inDoubt: UnknownOutcome | null;
  gate: GateState;
  sealed: SealedResult | null;
}

/** `revisions`: those that the run was carried over to later. */
export function initialState(
  content: ChainContent,
  revisions: ReadonlyMap<string, ChainContent> = new Map(),
): RunState {
  const stations = stationsOf(content);
  return {
    template: content,
    revisions,
    content,
    stations,
    keepsEvidence: [content, ...revisions.values()].some(({ steps }) =>
      steps.some(({ block }) => block?.proposal !== undefined),
    ),
    values: {},
    secrets: new Map(),
    runId: '',
    chainId: '',
    digest: '',
    space: '',
    actor: '',
    account: '',
    place: null,
    policy: null,
    tip: null,
    at: 0,
    shown: false,
    echo: GENESIS_HASH,
    nonces: new Nonces(),
    retries: 0,
    declined: new Map(),
    previousComment: null,
    reported: null,
    proofs: [],
    waived: new Set(),
    inDoubt: null,
    gate: emptyGate(),
    sealed: null,
  };
}

/**
 * Returns a copy of the state for another decision. Changes of the copy don't affect the original. Only the list of proofs is
 * copied in full, so the cost barely depends on the length of the run.
 */
export function forkState(state: RunState): RunState {
  return {
    ...state,
    nonces: state.nonces.fork(),
    proofs: [...state.proofs],
    declined: new Map(state.declined),
    waived: new Set(state.waived),
    values: { ...state.values },
    secrets: new Map(state.secrets),
    gate: structuredClone(state.gate),
  };
}

/** The station to pass next; null when all are passed. */
export function pendingStation(state: RunState): Station | null {
  return state.stations[state.at] ?? null;
}

/** Only the closing comment is left, or nothing. */
export function attestIsNext(state: RunState): boolean {
  const pending = pendingStation(state);
  return pending === null || pending.kind === 'closing';
}

/** How many accepted proofs there are of each assurance. */
export function countAssurance({ proofs }: RunState): AssuranceCounts {
  return countAssurances(proofs);
}

/**
 * A run is a fixed row of stations: what to show, in order. A step without a block needs nothing as the
 * first, the default comment in the middle, and only the closing comment as the last. A step with sampling
 * and a proof of work is two stations: the model's answer first, then the rest. The closing comment is always
 * the last station; it belongs to the last step (SPEC 3.5, 3.6).
 */
export type Station =
  | { kind: 'none'; step: number }
  | { kind: 'proof'; step: number; demand: Demand; block: StepBlock }
  | { kind: 'closing'; step: number; demand: Demand; block: StepBlock };

const DEFAULT_COMMENT: ProofOfWork = { type: 'comment', comment: { min_length: 10 }, required: true };

export function stationsOf(content: Pick<ChainContent, 'steps'>): Station[] {
  const last = content.steps.length;
  const stations: Station[] = [];
  content.steps.forEach(({ block }, at) => {
    const step = at + 1;
    if (block !== null) {
      stations.push(...blockStations(step, block));
    } else if (step === 1) {
      stations.push({ kind: 'none', step });
    } else if (step < last) {
      stations.push({ kind: 'proof', step, demand: DEFAULT_COMMENT, block: {} });
    }
  });
  stations.push({ kind: 'closing', step: last, demand: DEFAULT_COMMENT, block: {} });
  return stations;
}

function blockStations(step: number, block: StepBlock): Station[] {
  const { sampling, ...rest } = block;
  const { proof_of_work: proof } = block;
  if (sampling === undefined) return [{ kind: 'proof', step, demand: proof ?? DEFAULT_COMMENT, block }];
  const asked: SamplingDemand = { type: 'sampling', sampling, required: true };
  if (proof === undefined) return [{ kind: 'proof', step, demand: asked, block }];
  // A model's answer has no effect: the proposal and the outputs belong to the proof.
  return [
    { kind: 'proof', step, demand: asked, block: { sampling } },
    { kind: 'proof', step, demand: proof, block: rest },
  ];
}
