/** Where a run works: its commands run there, and its outputs are read there. */
export interface Place {
  /** Name of the machine. */
  host: string;
  /** Absolute, links resolved; null if the interface has no folder. */
  workdir: string | null;
  /** Further folders that outputs may lie in; absolute. */
  roots: readonly string[];
  /** Other spellings of these folders, through links: a path that begins with one is understood. */
  names?: readonly string[];
}

/** The policy that a run is judged by. */
export interface PolicyRecord {
  /** Null: none. */
  digest: string | null;
  /** Absolute path of its file; null: none, or a ledger of an older version without it. */
  origin: string | null;
}

/** Whether two places are one. A ledger that names no place fits every one. */
export function isSamePlace(recorded: Place | null, here: Place): boolean {
  return (
    recorded === null ||
    (recorded.host === here.host &&
      recorded.workdir === here.workdir &&
      recorded.roots.length === here.roots.length &&
      recorded.roots.every((root) => here.roots.includes(root)))
  );
}
