import type { ChainContent } from '../protocol/model.ts';
import type { ProofOfWork, StepBlock } from '../protocol/schema.ts';

/**
 * A walk is a fixed row of stations: what has to be shown, in order. A step without a block needs nothing when it
 * is the first, the default comment in the middle, and nothing but the closing comment when it is the last.
 * The closing comment is always the last station; it belongs to the last step (SPEC 3.5, 3.6).
 */
export type Station =
  | { kind: 'none'; step: number }
  | { kind: 'proof'; step: number; demand: ProofOfWork; block: StepBlock }
  | { kind: 'closing'; step: number; demand: ProofOfWork; block: StepBlock };

export const DEFAULT_COMMENT: ProofOfWork = { type: 'comment', comment: { min_length: 10 }, required: true };

export function stationsOf(content: Pick<ChainContent, 'steps'>): Station[] {
  const last = content.steps.length;
  const stations: Station[] = [];
  content.steps.forEach(({ block }, at) => {
    const step = at + 1;
    if (block !== null) {
      stations.push({ kind: 'proof', step, demand: block.proof_of_work ?? DEFAULT_COMMENT, block });
    } else if (step === 1) {
      stations.push({ kind: 'none', step });
    } else if (step < last) {
      stations.push({ kind: 'proof', step, demand: DEFAULT_COMMENT, block: {} });
    }
  });
  stations.push({ kind: 'closing', step: last, demand: DEFAULT_COMMENT, block: {} });
  return stations;
}

/**
 * Why a station cannot be passed with what this build has, or null. Sampling and outputs are judged by the director;
 * until that stands, such a step is closed, not waved through.
 */
export function unsupportedDemand(station: Station): 'sampling' | 'outputs' | null {
  if (station.kind !== 'proof') return null;
  if (station.block.sampling !== undefined) return 'sampling';
  if (station.block.outputs !== undefined) return 'outputs';
  return null;
}
