import { type Assurance, assuranceSchema } from '../protocol/schema.ts';

/** From the weakest to the strongest (SPEC 4). */
export const ASSURANCE_ORDER: readonly Assurance[] = assuranceSchema.options;

export type AssuranceCounts = Record<Assurance, number>;

/** Whether a proof of assurance `have` satisfies a demand for `need`. */
export function meets(have: Assurance, need: Assurance): boolean {
  return ASSURANCE_ORDER.indexOf(have) >= ASSURANCE_ORDER.indexOf(need);
}

/** How many proofs there are of each assurance. */
export function countAssurances(proofs: Iterable<{ assurance: Assurance }>): AssuranceCounts {
  const counts: AssuranceCounts = { observed: 0, attested: 0, client: 0, claimed: 0 };
  for (const { assurance } of proofs) counts[assurance] += 1;
  return counts;
}

/** A run that has proofs, and claims only: it is called self-reported (SPEC 4). */
export function claimsOnly(counts: Readonly<Record<string, number>>): boolean {
  return Object.entries(counts).every(([assurance, count]) => (assurance === 'claimed') === count > 0);
}

/** The weakest assurance of the proofs; `claimed` without any. */
export function weakestOf(counts: AssuranceCounts): Assurance {
  return ASSURANCE_ORDER.find((assurance) => counts[assurance] > 0) ?? 'claimed';
}
