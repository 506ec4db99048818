import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { GENESIS_HASH, sha256Hex } from '../../src/base/canonical.ts';
import {
  type EntryData,
  type EntryKind,
  type LedgerEntry,
  makeEntry,
  type Seal,
} from '../../src/ledger/entry.ts';
import { toLines } from '../../src/ledger/line.ts';
import type { SealingKey } from '../../src/ledger/seal.ts';
import { keyFingerprint, makeSeal } from '../../src/ledger/seal.ts';
import { type Verification, verifyLedger } from '../../src/ledger/verify.ts';
import { claimsOnly } from '../../src/proof/demand.ts';

export const KEY: SealingKey = generateKeyPairSync('ed25519');
export const OTHER_KEY: SealingKey = generateKeyPairSync('ed25519');
export const TRUSTED = { trustedKeys: [keyFingerprint(KEY.publicKey)] };
export const RUN_ID = '3f2c8f0e-6f0d-4c58-9b57-0d8d6a1f7c11';

export interface Run {
  runId: string;
  entries: LedgerEntry[];
  seal: Seal;
  lines: string[];
}

/** What happens at a station: how often it fails first, what the proof says, how it was obtained. */
export interface Visit {
  failures: number;
  text: string;
  assurance: 'claimed' | 'client' | 'observed' | 'attested';
  skipped: boolean;
}

/** A finished run as the engine writes it, with any texts in it. */
export function makeRun(visits: readonly Visit[], runId = RUN_ID, key = KEY): Run {
  const entries: LedgerEntry[] = [];
  let echo = GENESIS_HASH;
  const counts: Record<string, number> = { observed: 0, attested: 0, client: 0, claimed: 0 };
  const write = (kind: EntryKind, data: EntryData): LedgerEntry => {
    const at = new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + entries.length * 1001).toISOString();
    const entry = makeEntry(runId, entries.at(-1) ?? null, at, kind, data);
    entries.push(entry);
    return entry;
  };
  write('run.begun', {
    digest: sha256Hex(runId),
    actor: 'ada',
    session: null,
    trusted: true,
    store_seq: 7,
    previous_head: null,
  });
  visits.forEach(({ failures, text, assurance, skipped }, station) => {
    for (let attempt = 0; attempt <= failures; attempt += 1) {
      const nonce_sha256 = sha256Hex(`${runId}/${station}/${attempt}`);
      write('step.shown', { station, demand: 'comment', nonce_sha256, proof_hash: echo, expires_at: null });
      if (attempt < failures) {
        write('proof.rejected', {
          station,
          code: 'COMMENT_TRIVIAL',
          counted: true,
          waived: false,
          nonce_sha256,
        });
      } else if (skipped) {
        write('step.skipped', { station, reason: text });
      } else {
        const data = { station, type: 'comment', comment: { text }, assurance, nonce_sha256, echoed: echo };
        echo = write('proof.accepted', data).hash;
        counts[assurance] = (counts[assurance] ?? 0) + 1;
      }
    }
  });
  const last = write('run.sealed', {
    outcome: 'success',
    message: 'done as written',
    quality_bonus: '0.5',
    assurance: counts,
    self_reported: claimsOnly(counts),
  });
  const seal = makeSeal(runId, last.hash, entries.length, key);
  return { runId, entries, seal, lines: toLines(entries, seal) };
}

/** Sixteen entries with everything in them, and a seal. */
export const SAMPLE = makeRun([
  { failures: 0, text: 'Ran 214 tests, "none" failed.\n\t\\ end', assurance: 'observed', skipped: false },
  { failures: 2, text: '全部のテストを流した 😀 é', assurance: 'claimed', skipped: false },
  { failures: 0, text: 'not needed here', assurance: 'claimed', skipped: true },
  { failures: 1, text: 'Told the on-call person', assurance: 'client', skipped: false },
]);

/** A run of another id that is whole by itself. */
export const OTHER = makeRun(
  [{ failures: 0, text: 'another run', assurance: 'claimed', skipped: false }],
  'b7a1d0c2-0000-4000-8000-000000000000',
);

const visitArbitrary: fc.Arbitrary<Visit> = fc.record({
  failures: fc.integer({ min: 0, max: 2 }),
  text: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
  ),
  assurance: fc.constantFrom('claimed', 'client', 'observed', 'attested'),
  skipped: fc.boolean(),
});

export const runArbitrary: fc.Arbitrary<Run> = fc
  .tuple(fc.array(visitArbitrary, { minLength: 1, maxLength: 6 }), fc.uuid())
  .map(([visits, runId]) => makeRun(visits, runId));

export function verify(lines: readonly string[]): Verification {
  return verifyLedger(lines, TRUSTED);
}

/** Findings that break something, shortened to code, entry and line. */
export function errorsOf({
  findings,
}: Verification): [code: string, entry: number | null, line: number | null][] {
  return findings
    .filter(({ severity }) => severity === 'error')
    .map(({ code, entry, line }) => [code, entry, line]);
}

/** An entry with some fields changed and its hash made anew, as a forger would. */
export function rehashed(entry: LedgerEntry, change: Partial<LedgerEntry>): LedgerEntry {
  const { run_id, seq, prev, at, kind, data } = { ...entry, ...change };
  return makeEntry(run_id, { seq: seq - 1, hash: prev }, at, kind, data);
}

/** Every leaf of a JSON value changed, one at a time. */
export function flips(value: unknown): { path: string; flipped: unknown }[] {
  if (value !== null && typeof value === 'object') {
    return Object.entries(value).flatMap(([key, item]) =>
      flips(item).map(({ path, flipped }) => ({
        path: `/${key}${path}`,
        flipped: replaced(value, key, flipped),
      })),
    );
  }
  return leafFlips(value).map((flipped) => ({ path: '', flipped }));
}

function replaced(container: object, key: string, item: unknown): unknown {
  return Array.isArray(container)
    ? container.map((old, index) => (String(index) === key ? item : old))
    : { ...container, [key]: item };
}

function leafFlips(leaf: unknown): unknown[] {
  if (typeof leaf === 'number') return [leaf + 1, -leaf - 1, String(leaf)];
  if (typeof leaf === 'boolean') return [!leaf, null];
  if (typeof leaf !== 'string') return [0, 'null', false];
  const at = Math.floor(leaf.length / 2);
  const other = leaf[at] === '0' ? '1' : '0';
  return [`${leaf.slice(0, at)}${other}${leaf.slice(at + 1)}`, `${leaf}=`, leaf.slice(0, -1), null];
}
