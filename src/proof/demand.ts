import type { Assurance, ProofOfWork, SamplingDefinition } from '../protocol/schema.ts';

/** A model's answer to a fixed prompt. Always required, because the rest of the step depends on it. */
export interface SamplingDemand {
  type: 'sampling';
  sampling: SamplingDefinition;
  required: boolean;
  assurance?: Assurance;
}

/** The demand of one station of a run: a proof of work as its author wrote it, or a model's answer. */
export type Demand = ProofOfWork | SamplingDemand;
