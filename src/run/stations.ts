import type { Demand, SamplingDemand } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { ProofOfWork, StepBlock } from '../protocol/schema.ts';

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

export const DEFAULT_COMMENT: ProofOfWork = { type: 'comment', comment: { min_length: 10 }, required: true };

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
