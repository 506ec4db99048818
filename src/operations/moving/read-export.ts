import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { programName } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import { isDeeperThan, MAX_MESSAGE_DEPTH } from '../../base/json.ts';
import type { LedgerEntry, Seal } from '../../ledger/entry.ts';
import { isCanonical } from '../../ledger/line.ts';
import type { ChainContent } from '../../protocol/model.ts';
import { inputSchema, proposedHoldSchema, stepBlockSchema } from '../../protocol/schema.ts';
import {
  HEADER,
  type MovedRecord,
  type PlacedRecord,
  recordFault,
  recordLine,
  recordName,
  type Trailer,
} from './record.ts';

/**
 * The records of an exported store, each checked separately and for its order, and all of them against the
 * trailer. Throws INVALID_INPUT with the line, at the latest after the last record. A caller that must not
 * act on a cut or edited file reads it to the end first.
 */
export async function* readExport(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<PlacedRecord> {
  const reading = { hash: createHash('sha256'), counts: { chains: 0, runs: 0 }, last: null as Order | null };
  let trailer: Trailer | null = null;
  let number = 0;
  for await (const { line, ended } of splitBytes(bytes)) {
    number += 1;
    const place = `${name}, line ${number}`;
    if (trailer !== null) throw refused(place, 'follows the trailer');
    if (!ended) throw refused(place, 'ends in the middle: the file is cut');
    const value = parse(line, place);
    if (number === 1) checkHeader(value, place);
    else if (isTrailer(value)) {
      trailer = value.trailer;
      checkTrailer(trailer, { ...reading.counts, sha256: reading.hash.digest('hex') }, place);
      continue;
    } else {
      const record = read(value, place);
      reading.last = following(reading.last, record, place);
      reading.counts[record.kind === 'chain' ? 'chains' : 'runs'] += 1;
      yield { place, record };
    }
    reading.hash.update(line).update('\n');
  }
  if (trailer === null)
    throw refused(`${name}, line ${number + 1}`, 'is missing: the file is cut before its trailer');
}

function parse(line: Uint8Array, place: string): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    const value = JSON.parse(text) as unknown;
    if (isCanonical(text, value)) return value;
  } catch {
    throw refused(place, 'is not JSON in UTF-8, or is nested too deeply');
  }
  throw refused(place, 'is not in RFC 8785 form: it was edited, or its line ends were changed');
}

function checkHeader(value: unknown, place: string): void {
  if (recordLine(value) === recordLine(HEADER)) return;
  const { format, v } = (value ?? {}) as { format?: unknown; v?: unknown };
  if (format === HEADER.format && v !== HEADER.v)
    throw refused(place, `has format version ${String(v)}, but this kairos reads ${HEADER.v}: update kairos`);
  throw refused(place, 'is not the header of an exported store');
}

function read(value: unknown, place: string): MovedRecord {
  const record = toRecord(value);
  if ('fault' in record) throw refused(place, record.fault);
  const fault = recordFault(record);
  if (fault !== null) throw refused(place, `${recordName(record)} ${fault}`);
  return record;
}

/** Chains come before runs, both in the order of their keys, so none can occur twice. */
type Order = [kind: 0 | 1, key: string | number];

function following(last: Order | null, record: MovedRecord, place: string): Order {
  const next: Order = record.kind === 'chain' ? [0, record.chain.chainId] : [1, record.run.storeSeq];
  if (last !== null && (next[0] < last[0] || (next[0] === last[0] && next[1] <= last[1])))
    throw refused(place, `${recordName(record)} is a duplicate or out of order`);
  return next;
}

function isTrailer(value: unknown): value is { trailer: Trailer } {
  return value !== null && typeof value === 'object' && 'trailer' in value;
}

function checkTrailer(said: Trailer, found: Trailer, place: string): void {
  if (recordLine({ trailer: said }) === recordLine({ trailer: found })) return;
  if (said.chains !== found.chains || said.runs !== found.runs)
    throw refused(
      place,
      `does not count the records of the file (${found.chains} chains and ${found.runs} runs): some were removed or added`,
    );
  throw refused(place, 'has another digest than the lines before it: the file was edited');
}

function refused(place: string, why: string): KairosError {
  return new KairosError('INVALID_INPUT', `${place} ${why}`, {
    hint: 'Export the store again, and move the file without changing it.',
  });
}

/** Larger than any record, and the longest possible text. */
const MAX_LINE_BYTES = 448 * 1024 * 1024;

/**
 * Splits a stream at its line feeds. `ended`: a line feed followed. Throws INVALID_INPUT for an endless line.
 */
async function* splitBytes(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ line: Uint8Array; ended: boolean }> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      parts.push(chunk.subarray(from, at));
      yield { line: Buffer.concat(parts), ended: true };
      parts = [];
      size = 0;
      from = at + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) {
      throw new KairosError('INVALID_INPUT', 'a line is longer than 448 MiB: this is not an exported store', {
        hint: `Name a file that ${programName()} store export has written.`,
      });
    }
  }
  if (parts.length > 0) yield { line: Buffer.concat(parts), ended: false };
}

const LF = 0x0a;

/** A text that every store can keep unchanged. */
const storable = () => z.string().check(z.refine((text) => !/[\0\p{Cs}]/u.test(text)));
const hash = () => z.string().check(z.regex(/^[0-9a-f]{64}$/));
const count = () => z.int().check(z.gte(0));
const time = () =>
  z.string().check(
    z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    z.refine((text) => !Number.isNaN(Date.parse(text))),
  );

const contentSchema = z.strictObject({
  slug: storable(),
  title: z.string(),
  version: z.nullable(z.string()),
  tags: z.array(z.string()),
  inputs: z.optional(z.record(z.string(), inputSchema)),
  holds: z.optional(z.array(proposedHoldSchema)),
  description: z.string(),
  triggers: z.nullable(z.string()),
  completion_rule: z.nullable(z.string()),
  steps: z
    .array(z.strictObject({ label: z.string(), body: z.string(), block: z.nullable(stepBlockSchema) }))
    .check(z.minLength(1)),
});

/** The content of a protocol from its JSON text; null for another text. */
export function contentOfJson(text: string): ChainContent | null {
  try {
    const value: unknown = JSON.parse(text);
    const isContent = !isDeeperThan(value, MAX_MESSAGE_DEPTH) && contentSchema.safeParse(value).success;
    return isContent ? (value as ChainContent) : null;
  } catch {
    return null;
  }
}

const chainSchema = z.strictObject({
  chain_id: z.string().check(z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  space: storable(),
  head: z.nullable(z.int().check(z.gte(1))),
  revisions: z
    .array(
      z.strictObject({
        number: count(),
        digest: hash(),
        content: contentSchema,
        author: storable(),
        llm_model_id: z.nullable(storable()),
        created_at: time(),
        weakened: z.nullable(storable()),
      }),
    )
    .check(z.minLength(1)),
  quality: z.array(z.strictObject({ digest: hash(), runs: count(), successes: count(), bonus: z.number() })),
});

/** `verifyEntries` checks entries and seal as a ledger. */
const runSchema = z.strictObject({
  run_id: storable().check(z.minLength(1)),
  store_seq: z.int().check(z.gte(1)),
  entries: z.array(z.looseObject({})),
  seal: z.nullable(z.looseObject({})),
  tombstone: z.optional(storable()),
  notes: z.optional(z.array(storable()).check(z.minLength(1))),
});

const chainLine = z.strictObject({ chain: chainSchema });
const runLine = z.strictObject({ run: runSchema });

/** A value of a file as a record, or the place of its fault (a path, without quoting anything). */
function toRecord(value: unknown): MovedRecord | { fault: string } {
  const parsed = (isObject(value) && 'run' in value ? runLine : chainLine).safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      fault: `is not a record of a chain or run: its ${issue?.path.map(String).join('.') || 'keys'} cannot be used`,
    };
  }
  // As written and hashed, because parsing adds defaults.
  const line = value as z.input<typeof chainLine> | z.input<typeof runLine>;
  if ('run' in line) {
    const { run_id, store_seq, entries, seal, tombstone, notes } = line.run;
    return {
      kind: 'run',
      run: {
        runId: run_id,
        storeSeq: store_seq,
        entries: entries as unknown as LedgerEntry[],
        seal: seal as Seal | null,
        ...(tombstone === undefined ? {} : { tombstone }),
        ...(notes === undefined ? {} : { notes }),
      },
    };
  }
  const { chain_id, space, head, revisions, quality } = line.chain;
  return {
    kind: 'chain',
    chain: {
      chainId: chain_id,
      space,
      head,
      revisions: revisions.map(({ llm_model_id, created_at, content, ...rest }) => ({
        ...rest,
        content: content as ChainContent,
        chainId: chain_id,
        space,
        llmModelId: llm_model_id,
        createdAt: created_at,
      })),
      quality,
    },
  };
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}
