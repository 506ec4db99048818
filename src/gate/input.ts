import type { Demand } from '../proof/demand.ts';
import type { ProofTools } from '../proof/verdict.ts';
import type { Assurance, ProposalTemplate } from '../protocol/schema.ts';
import type { Approval } from './approval/statement.ts';
import type { LoadedPolicy } from './policy/schema.ts';
import type {
  Precondition,
  Proposal,
  ProposalField,
  ProposalTarget,
  RiskEnvelope,
  TimeWindow,
} from './proposal.ts';
import type { Violation } from './violation.ts';

/** A proof of this run, as evidence. */
export interface EvidenceProof {
  /** Hash of its ledger entry. */
  hash: string;
  /** 1-based. */
  step: number;
  type: string;
  assurance: Assurance;
  /** When it was accepted, in milliseconds since the epoch. */
  at: number;
  /** What fields are looked up in. */
  packet: unknown;
  /** Where a command was run for it. Absent: not known, or it is of no directory. */
  place?: { host: string; workdir: string | null };
}

/** The gated step, which a permit will bind. */
export interface GatedStep {
  runId: string;
  /** 1-based. */
  step: number;
  chainDigest: string;
  template: ProposalTemplate;
  demand: Demand;
  /** What people call it. */
  names: { title: string; slug: string; step: string; steps: number };
  /** Inputs and captures of the run, as its commands get them. Absent: none. */
  variables?: Readonly<Record<string, VariableValue>>;
  /** Where it is done; absent for runs whose ledger doesn't record it. */
  place?: { host: string; workdir: string | null };
  /** Where its command works, if a link leads elsewhere than the recorded path. Absent: there. */
  directory?: string;
  /** What its command gets and starts here. Absent: it names no environment and starts no file, or it is not known. */
  surroundings?: CommandSurroundings;
  /** What the name of its server stands for; null if it is missing here. Absent: it names none. */
  server?: NamedServer | null;
  /** For a rollback: what it reverses, and the revision of the chain that does it. */
  rollsBack?: { proposal_hash: string; chain_digest: string | null; chain?: NamedChain };
}

/** What a command gets and starts that its text lacks. */
export interface CommandSurroundings {
  /** Keyed digests of the environment variables that the step names; null: not set. */
  environment: Record<string, string | null>;
  /** SHA-256 of the files that it starts, by path as written; null: missing or unreadable. */
  files: Record<string, string | null>;
}

/** A variable of a command. No record contains the value of a secret: its keyed digest, or null in ledgers without one. */
export type VariableValue = string | { secret: string } | null;

/** How a file defines an MCP server: as written, so variables are not filled in. */
export interface NamedServer {
  command: string;
  arguments: string[];
  /** Names only: values can be secret. */
  environment: string[];
  directory: string | null;
  file: string;
  /** Of the whole definition, with the values of its environment. */
  digest: string;
}

/** The revision of a protocol that a URI stands for now. */
export interface NamedChain {
  title: string;
  slug: string;
  digest: string;
  /** What each of its steps runs, calls or asks for. */
  steps: string[];
}

/** A proposal that this run has judged before. */
export interface PastProposal {
  proposalId: string;
  hash: string;
  step: number;
  /** Of the rollback, not of the step. */
  rollback: boolean;
  /** Its permit was consumed: it has had its effect, or failed at it. */
  used: boolean;
}

/** Everything that a decision depends on; the same input gets the same answer. */
export interface GateInput {
  /** What was submitted: a JSON text, or a value that was parsed already. */
  submitted: unknown;
  gated: GatedStep;
  evidence: readonly EvidenceProof[];
  /** Bearer identity or OS user who submits. */
  actor: string;
  policy: LoadedPolicy | null;
  /** In the order in which they were submitted first. */
  past: readonly PastProposal[];
  /** Those whose signatures were verified, and those given at a terminal. */
  approvals: readonly Approval[];
  /** Milliseconds since the epoch. */
  now: number;
  tools: ProofTools;
  /** True for a text that contains a secret of this host. */
  holdsSecret: (text: string) => boolean;
}

/** Places of one field that do not have the shape of the schema. */
export interface FieldProblems {
  unknown: string[];
  wrong: string[];
}

/** A submission after reading: its well-formed fields, and what is wrong with the others. */
export interface ProposalReading {
  /** The submitted value, parsed; null if it isn't an object. Its hash names the proposal. */
  value: Record<string, unknown> | null;
  /** The proposal as an object, a KernelRequest mapped; null if it isn't an object. */
  raw: Record<string, unknown> | null;
  /** The fields that are there and have their shape. */
  fields: Partial<Proposal>;
  /** By top-level field; those that are absent though required are wrong at their own pointer. */
  problems: ReadonlyMap<string, FieldProblems>;
  /** Of reading and mapping. */
  violations: Violation[];
}

/** What is well-formed of the fields that have parts, whether or not all of the field is. */
export interface Parts {
  target: Partial<ProposalTarget>;
  risk_envelope: Partial<RiskEnvelope>;
  time_window: Partial<TimeWindow>;
  preconditions: readonly { at: number; precondition: Precondition }[];
}

/** What rules look at. */
export interface Case extends GateInput {
  reading: ProposalReading;
  fields: Partial<Proposal>;
  parts: Parts;
}

/** Whether a field was given at all, in any shape. */
export function isGiven({ reading }: Pick<Case, 'reading'>, field: ProposalField): boolean {
  return reading.raw !== null && Object.hasOwn(reading.raw, field);
}

/** One reason to refuse a proposal. Related rules share a file; `index.ts` has the order of all. */
export interface GateRule {
  code: string;
  /** The requirement, for the documentation. */
  title: string;
  /** All violations. Fields that don't have their shape are another rule's business. Pure, never throws. */
  check(item: Case): Violation[];
}
