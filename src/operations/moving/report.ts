/** The result for the records, or the expected result of a dry run. */
export interface MoveReport {
  chains: Record<ChainOutcome, number>;
  runs: Record<RunOutcome, number>;
}

/** `extended`: unlisted contents were added. `replaced`: newer content was put on top. */
export type ChainOutcome = 'stored' | 'extended' | 'replaced' | 'unchanged' | 'skipped';
/** `extended`: entries were appended. `renumbered`: kept under the next free number of the store. */
export type RunOutcome = 'stored' | 'extended' | 'renumbered' | 'unchanged' | 'skipped';

export function emptyReport(): MoveReport {
  return {
    chains: { stored: 0, extended: 0, replaced: 0, unchanged: 0, skipped: 0 },
    runs: { stored: 0, extended: 0, renumbered: 0, unchanged: 0, skipped: 0 },
  };
}
