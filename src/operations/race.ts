/** Writers retry this many times on a conflict over a head. */
const ATTEMPTS = 64;

/**
 * Retries while other writers are faster. Each attempt reads, compares and writes again, because a conflict
 * means a new head. Null: other writers change it continuously.
 */
export async function untilFirst<T>(attempt: () => Promise<T | 'conflict'>): Promise<T | null> {
  for (let count = 0; count < ATTEMPTS; count += 1) {
    const outcome = await attempt();
    if (outcome !== 'conflict') return outcome;
  }
  return null;
}
