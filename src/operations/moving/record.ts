import { canonical } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import { checkNote, checkTombstone } from '../../ledger/beside.ts';
import { verifyEntries } from '../../ledger/verify.ts';
import { chainId, digest, isReservedChain, isSlug } from '../../protocol/identity.ts';
import type { ChainRecord, RunRecord } from '../../store/port.ts';
import { runFacts } from '../../store/run-row.ts';

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
export function recordLine(value: unknown): string {
  return `${canonical(value)}\n`;
}

/** A record in its file form. Entries and seal of a run are those of `kairos runs export`. */
export function toFileValue(record: MovedRecord): unknown {
  if (record.kind === 'run') {
    const { runId, storeSeq, entries, seal, tombstone, notes } = record.run;
    const beside = {
      ...(tombstone === undefined ? {} : { tombstone }),
      ...(notes === undefined ? {} : { notes }),
    };
    return { run: { run_id: runId, store_seq: storeSeq, entries, seal, ...beside } };
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
export function recordName(record: MovedRecord): string {
  return record.kind === 'chain' ? `chain ${record.chain.chainId}` : `run ${record.run.runId}`;
}

/** What is wrong with a well-formed record, to follow its name; null when it is intact. Quotes no content. */
export function recordFault(record: MovedRecord): string | null {
  return record.kind === 'chain' ? chainFault(record.chain) : runFault(record.run);
}

/** Ids follow from space and slug, digests from contents, the order from numbers. */
function chainFault({ chainId: id, space, head, revisions, quality }: ChainRecord): string | null {
  const reserved = isReservedChain(id);
  if (reserved && head !== null) return 'is part of kairos and cannot be listed';
  for (const { number, content, digest: named } of revisions) {
    if (digest(content) !== named)
      return `contains other content under digest ${named} than the one that was hashed`;
    if (!isSlug(content.slug) || (!reserved && chainId(space, content.slug) !== id))
      return `does not have the id that the space and slug of revision ${number} give`;
  }
  if (
    !ascending(revisions, (a, b) => b.number - a.number || (b.number === 0 ? order(a.digest, b.digest) : 0))
  )
    return 'has duplicate revisions or revisions out of order';
  if (head !== null && revisions.at(-1)?.number !== head) return 'has a head that is not its newest revision';
  if (!ascending(quality, (a, b) => order(a.digest, b.digest)))
    return 'has duplicate counts or counts out of order';
  if (quality.some(({ runs, successes, bonus }) => successes > runs || Math.abs(bonus) > runs))
    return 'has impossible counts';
  return null;
}

/** Notes are signed, and so is what stands for a pruned ledger. Any other ledger is recomputed from its first entry to its seal. */
function runFault({ runId, entries, seal, tombstone, notes = [] }: RunRecord): string | null {
  for (const note of notes) {
    const checked = checkNote(note, runId);
    if (!checked.ok) return `has a note that ${checked.reason}`;
  }
  if (tombstone !== undefined) {
    const checked = checkTombstone(tombstone, runId);
    if (!checked.ok) return `has a tombstone that ${checked.reason}`;
    return entries.length > 0 || seal !== null ? 'was pruned, and has entries or a seal' : null;
  }
  const { status, findings, run_id } = verifyEntries(entries, seal, { expectSealed: seal !== null });
  if (status === 'broken') {
    const [first] = findings.filter(({ severity }) => severity === 'error');
    return `has a ledger that is not intact: ${first?.message ?? ''}`;
  }
  if (run_id !== runId) return 'has the ledger of another run';
  try {
    const facts = Object.values(runFacts(entries));
    return facts.some((fact) => fact !== null && /[\0\p{Cs}]/u.test(fact))
      ? 'begins with a text that contains NUL'
      : null;
  } catch (error) {
    return `cannot be listed: ${(error as Error).message}`;
  }
}

/** Items in strict order: `gap` is positive for each next one. */
function ascending<T>(items: readonly T[], gap: (a: T, b: T) => number): boolean {
  return items.every((item, at) => at === 0 || gap(items[at - 1] as T, item) > 0);
}

function order(a: string, b: string): number {
  return a < b ? 1 : a > b ? -1 : 0;
}

/** What prevents a move, found before anything was written. `places`: the first of `total`, one a line. */
export function conflict(places: readonly string[], total: number): KairosError {
  const more = total > places.length ? [`and ${total - places.length} more`] : [];
  const lines = [...places, ...more].map((line) => `  ${line}`);
  return new KairosError(
    'IMPORT_CONFLICT',
    `${total} of the records cannot be imported:\n${lines.join('\n')}`,
    {
      hint: 'Nothing was written. --on-conflict skip leaves out what differs here, --on-conflict replace adds newer content as a new revision. A ledger that differs is never imported.',
      data: { conflicts: [...places], total },
    },
  );
}

/** Another process wrote to the store between the check and the write. */
export function changedMeanwhile(what: string): KairosError {
  return new KairosError('IMPORT_CONFLICT', `${what}: the store changed during the import`, {
    hint: 'The records before this one were imported completely. Run the same command again.',
  });
}
