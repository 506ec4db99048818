import { randomUUID } from 'node:crypto';
import { v5 as uuidV5 } from 'uuid';
import { KairosError } from '../../base/errors.ts';
import type { LedgerEntry } from '../../ledger/entry.ts';
import { PROJECT_NAMESPACE, stepUuid } from '../../protocol/identity.ts';
import type { Revision, RunRow } from '../port.ts';
import { noncesOf, runFacts, sealFacts } from '../run-row.ts';
import type { Condition, Filter, Payload, Points, QdrantPoint } from './api.ts';
import { contended } from './failures.ts';

/** UUIDv5 (RFC 9562) of a point by what it stands for. Chains are known by their own id. */
export function pointId(...parts: readonly (string | number)[]): string {
  return uuidV5(parts.join('/'), NAMESPACE);
}

const NAMESPACE = uuidV5('qdrant', PROJECT_NAMESPACE);

/** What a point is: the value of its key `kind`. */
export type Kind = 'chain' | 'revision' | 'run' | 'batch' | 'stem' | 'word' | 'models' | 'note';

/** Points of a kind that fit all conditions. */
export function ofKind(kind: Kind | readonly Kind[], ...conditions: Condition[]): Filter {
  const kinds: Condition = typeof kind === 'string' ? is('kind', kind) : isOneOf('kind', kind);
  return { must: [kinds, ...conditions] };
}

/**
 * The key has this value, or contains it if it is a list. Throws INVALID_INPUT for a text that no key can
 * have.
 */
export function is(key: string, value: string | number | boolean): Condition {
  return { key, match: { value: typeof value === 'string' ? storable(value) : value } };
}

/** The key has, or contains, at least one of these. */
export function isOneOf(key: string, values: readonly string[]): Condition {
  return { key, match: { any: [...new Set(values)].map(storable) } };
}

/** The text, if every store keeps it unchanged: without NUL and lone surrogates. */
export function storable(text: string): string {
  if (!/[\0\p{Surrogate}]/u.test(text)) return text;
  throw new KairosError('INVALID_INPUT', 'a text contains a NUL character or a lone surrogate', {
    hint: 'Remove the character and try again.',
  });
}

/** What every point that changes carries: how often it was changed, and by which of the latest writes. */
export interface Version {
  version: number;
  writers: string[];
}

/** So many writes of others may come between a write and the look at what became of it. */
const WRITERS_KEPT = 64;
const TRIES = 100;

/** The version of a point as read; null for a missing one. */
export function versionOf(payload: Payload | null | undefined): Version | null {
  if (!payload) return null;
  return { version: payload.version as number, writers: payload.writers as string[] };
}

/**
 * Compare-and-swap: writes the point if its version is unchanged. The result is read back, because the
 * response to a write doesn't show it: every write has its own mark, so trying again is also safe.
 */
export async function swap(points: Points, point: QdrantPoint, from: Version | null): Promise<boolean> {
  const mark = randomUUID();
  const version = (from?.version ?? 0) + 1;
  const writers = [...(from?.writers ?? []), mark].slice(-WRITERS_KEPT);
  const next = { ...point, payload: { ...point.payload, version, writers } };
  if (from === null) await points.insert([next]);
  else await points.replace(next, { must: [is('version', from.version)] });
  const [stands] = await points.get([String(point.id)], ['version', 'writers']);
  const now = versionOf(stands?.payload);
  if (now?.writers.includes(mark)) return true;
  if (now !== null && now.version > version + WRITERS_KEPT / 2) throw contended(points.place);
  return false;
}

/** Runs a try until it does not answer null, waiting a little longer each time. Throws STORE_UNAVAILABLE in the end. */
export async function untilWon<T>(points: Points, attempt: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const outcome = await attempt();
    if (outcome !== null) return outcome;
    await new Promise((done) => setTimeout(done, Math.random() * Math.min(200, 5 * 2 ** tries)));
  }
  throw contended(points.place);
}

/**
 * Cache of what can't change in a collection: the step of a UUID,
 * the content of a digest, the run of a nonce, and where a run's ledger ended when it was read last. Other processes write
 * unseen, so nothing that changes is returned from here.
 */
export interface Known {
  steps: Bounded<{ chainId: string; index: number }>;
  /** By chain and digest. Another process may list the same content again under a later number. */
  revisions: Bounded<Revision>;
  /** Run ids by SHA-256 of a nonce. */
  nonces: Bounded<string>;
  /** Rows of runs by id: an append to an older end loses the race, so an outdated row does no harm. */
  ends: Bounded<RunRow>;
  /** Entries that came with a row in one request. */
  entries: WeakMap<RunRow, LedgerEntry[]>;
  learnRevision(revision: Revision): void;
  /** Keeps the steps of a chain by their UUIDs. */
  learnSteps(chainId: string, count: number): void;
  /** Keeps what entries that were just written make of a run. Without a row they begin it. */
  learnEntries(before: RunRow | null, storeSeq: number, entries: readonly LedgerEntry[]): void;
  /** Forgets the revisions of a chain. */
  forgetChain(chainId: string): void;
  /** Forgets the row of a run and its nonces. */
  forgetRun(runId: string): void;
}

/** A map of the latest `size` keys. */
interface Bounded<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  keys(): Iterable<string>;
}

export function openKnown(): Known {
  const known: Known = {
    steps: bounded(4096),
    revisions: bounded(128),
    nonces: bounded(4096),
    ends: bounded(1024),
    entries: new WeakMap(),
    learnRevision(revision) {
      const { chainId, digest, content } = revision;
      known.revisions.set(`${chainId} ${digest}`, revision);
      known.learnSteps(chainId, content.steps.length);
    },
    learnSteps(chainId, count) {
      for (let index = count; index > 0; index -= 1)
        known.steps.set(stepUuid(chainId, index), { chainId, index });
    },
    learnEntries(before, storeSeq, entries) {
      const last = entries.at(-1);
      if (last === undefined) return;
      const { run_id: runId, hash: head, seq } = last;
      for (const nonce of entries.flatMap(noncesOf)) known.nonces.set(nonce, runId);
      const facts = before ?? { runId, storeSeq, ...runFacts(entries) };
      known.ends.set(runId, { ...facts, ...sealFacts(entries), head, entryCount: seq + 1 });
    },
    forgetRun(runId) {
      known.ends.delete(runId);
      for (const key of known.nonces.keys()) if (known.nonces.get(key) === runId) known.nonces.delete(key);
    },
    forgetChain(chainId) {
      for (const key of known.revisions.keys())
        if (key.startsWith(`${chainId} `)) known.revisions.delete(key);
    },
  };
  return known;
}

function bounded<T>(size: number): Bounded<T> {
  const kept = new Map<string, T>();
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > size && oldest !== undefined) kept.delete(oldest);
    },
    delete: (key) => kept.delete(key),
    keys: () => [...kept.keys()],
  };
}
