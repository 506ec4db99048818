import type { Assurance, ProofOfWork, SamplingDefinition } from '../protocol/schema.ts';

/** The answer of a model to a fixed prompt. Always required: what it says is what the rest of the step builds on. */
export interface SamplingDemand {
  type: 'sampling';
  sampling: SamplingDefinition;
  required: boolean;
  assurance?: Assurance;
}

/** What one station of a walk asks for: a proof of work as its author wrote it, or a model's answer. */
export type Demand = ProofOfWork | SamplingDemand;
