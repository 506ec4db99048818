/** Outcomes of runs of a chain, counted by attest. */
export interface Quality {
  runs: number;
  successes: number;
  /** Sum of clamped bonuses. */
  bonus: number;
}

/** Most that a good record adds to a score, as a share of it. */
const LIFT_MAX = 0.08;
/** Fewer runs don't count. */
const RUNS_MIN = 3;
/** 95 % confidence. */
const Z = 1.96;

/**
 * The factor, 1 to 1.08, by which a record of attested runs lifts a score (SPEC 3.9). It grows with the lower bound of
 * the success rate at 95 % confidence (E. B. Wilson 1927), bonuses counting as parts of successes: a long good record
 * lifts more than a short one, a bad one does not lift, none ever lowers.
 */
export function qualityLift({ runs, successes, bonus }: Quality): number {
  if (runs < RUNS_MIN) return 1;
  const rate = Math.min(1, Math.max(0, (successes + bonus) / runs));
  const spread = Z * Math.sqrt((rate * (1 - rate)) / runs + (Z * Z) / (4 * runs * runs));
  const lowerBound = (rate + (Z * Z) / (2 * runs) - spread) / (1 + (Z * Z) / runs);
  return 1 + LIFT_MAX * Math.max(0, lowerBound);
}
