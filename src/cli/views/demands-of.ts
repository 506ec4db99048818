import type { ChainContent } from '../../protocol/model.ts';
import type { StepBlock } from '../../protocol/schema.ts';
import { type Station, stationsOf } from '../../run/stations.ts';
import type { Demand } from './demand.ts';

/**
 * The demand of each step of a chain, by 0-based index; null for no demand. A sampling demand is listed with
 * the proof of the step. The closing comment of a last step without a block counts as that step's demand.
 */
export function demandsOf(content: Pick<ChainContent, 'steps'>): (Demand | null)[] {
  const stations = stationsOf(content);
  return content.steps.map(({ block }, at) => {
    const own = stations.filter(({ step }) => step === at + 1);
    const asking = own.findLast(isProof) ?? own.find(isClosing);
    return asking === undefined ? null : demandOf(asking, block);
  });
}

type Asking = Exclude<Station, { kind: 'none' }>;

function isProof(station: Station): station is Asking {
  return station.kind === 'proof';
}

function isClosing(station: Station): station is Asking {
  return station.kind === 'closing';
}

function demandOf({ demand }: Asking, block: StepBlock | null): Demand {
  const { proof_of_work: _, ...beside } = block ?? {};
  return { ...demand, ...beside };
}
