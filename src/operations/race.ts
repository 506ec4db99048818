/** Writers that lose the race for a head decide again; this many times before giving up. */
const ATTEMPTS = 64;

/**
 * Tries until nobody else was faster. Whoever loses the race for a head has to look at the new one: each attempt reads,
 * compares and puts anew. Null: others write without pause.
 */
export async function untilFirst<T>(attempt: () => Promise<T | 'conflict'>): Promise<T | null> {
  for (let count = 0; count < ATTEMPTS; count += 1) {
    const outcome = await attempt();
    if (outcome !== 'conflict') return outcome;
  }
  return null;
}
