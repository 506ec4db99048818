import { createHash } from 'node:crypto';
import { hereCommand } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import { isReservedChain } from '../../protocol/identity.ts';
import type { MovableStore, RunRecord } from '../../store/port.ts';
import {
  HEADER,
  type MovedRecord,
  type PlacedRecord,
  recordFault,
  recordLine,
  recordName,
  type Trailer,
  toFileValue,
} from './record.ts';

export interface ExportOptions {
  /** Only what belongs to this space. Default: everything. */
  space?: string | undefined;
}

/**
 * Everything in a store, chains by id, then runs by their number, with one record in memory at a time. Runs
 * that begin meanwhile are left out, because their chains may already have been written. Throws STORE_DAMAGED
 * for a damaged record.
 */
export async function* storedRecords(
  store: MovableStore & { lastRun(): Promise<{ storeSeq: number } | null> },
  { space }: ExportOptions = {},
): AsyncGenerator<PlacedRecord> {
  const last = (await store.lastRun())?.storeSeq ?? 0;
  for await (const chain of store.exportChains()) {
    // A run may be pinned to a built-in chain of an older kairos, which belongs to no space.
    if (space !== undefined && chain.space !== space && !isReservedChain(chain.chainId)) continue;
    yield whole({ kind: 'chain', chain });
  }
  for await (const run of store.exportRuns()) {
    if (run.storeSeq > last) return;
    if (space !== undefined && spaceOf(run) !== space) continue;
    yield whole({ kind: 'run', run });
  }
}

/** The lines of an exported store: header, records, trailer. `onEnd` gets the trailer before its line. */
export async function* exportLines(
  records: AsyncIterable<PlacedRecord>,
  onEnd: (trailer: Trailer) => void,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const counts = { chains: 0, runs: 0 };
  const hashed = (line: string) => {
    hash.update(line);
    return line;
  };
  yield hashed(recordLine(HEADER));
  for await (const { record } of records) {
    counts[record.kind === 'chain' ? 'chains' : 'runs'] += 1;
    yield hashed(recordLine(toFileValue(record)));
  }
  const trailer = { ...counts, sha256: hash.digest('hex') };
  onEnd(trailer);
  yield recordLine({ trailer });
}

function spaceOf({ entries, tombstone }: RunRecord): unknown {
  if (tombstone === undefined) return entries[0]?.data.space;
  return (JSON.parse(tombstone) as { space?: unknown }).space;
}

function whole(record: MovedRecord): PlacedRecord {
  const name = recordName(record);
  const fault = recordFault(record);
  if (fault === null) return { place: name, record };
  throw new KairosError('STORE_DAMAGED', `${name} in the store ${fault}`, {
    hint: `A damaged record is not moved. Check it with ${hereCommand(['verify', 'RUN'])}, and restore the store from a backup.`,
  });
}
