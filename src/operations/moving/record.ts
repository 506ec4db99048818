import { canonical } from '../../base/canonical.ts';
import type { ChainRecord, RunRecord } from '../../store/port.ts';

/** A unit of a move: everything of one chain, or of one run. */
export type MovedRecord = { kind: 'chain'; chain: ChainRecord } | { kind: 'run'; run: RunRecord };

/** A record and its place, for messages. */
export interface PlacedRecord {
  place: string;
  record: MovedRecord;
}

/** First line of an exported store. Nothing in the file depends on the machine or the day. */
export const HEADER = { format: 'kairos.store', v: 1 } as const;

/** The number of records, and the SHA-256 of every byte before the trailer's line. */
export interface Trailer {
  chains: number;
  runs: number;
  sha256: string;
}

/** A line of an exported store, with its line feed: RFC 8785 text. Throws for a value that has none. */
export function lineOf(value: unknown): string {
  return `${canonical(value)}\n`;
}

/** A record in its file form. Entries and seal of a run are those of `kairos runs export`. */
export function toFileValue(record: MovedRecord): unknown {
  if (record.kind === 'run') {
    const { runId, storeSeq, entries, seal } = record.run;
    return { run: { run_id: runId, store_seq: storeSeq, entries, seal } };
  }
  const { chainId, space, head, revisions, quality } = record.chain;
  return {
    chain: {
      chain_id: chainId,
      space,
      head,
      revisions: revisions.map(({ number, digest, content, author, llmModelId, createdAt, weakened }) => ({
        number,
        digest,
        content,
        author,
        llm_model_id: llmModelId,
        created_at: createdAt,
        weakened,
      })),
      quality: quality.map(({ digest, runs, successes, bonus }) => ({ digest, runs, successes, bonus })),
    },
  };
}

/** The name of a record in messages: ids only, never an author's text. */
export function nameOf(record: MovedRecord): string {
  return record.kind === 'chain' ? `chain ${record.chain.chainId}` : `run ${record.run.runId}`;
}
