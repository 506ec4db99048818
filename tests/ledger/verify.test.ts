import { describe, expect, test } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { type LedgerEntry, makeEntry } from '../../src/ledger/entry.ts';
import { toJsonl, toLines } from '../../src/ledger/line.ts';
import { keyFingerprint, makeSeal } from '../../src/ledger/seal.ts';
import { verifyEntries, verifyJsonl, verifyLedger } from '../../src/ledger/verify.ts';
import { runs } from '../support/thorough.ts';
import {
  errorsOf,
  KEY,
  makeRun,
  OTHER,
  OTHER_KEY,
  RUN_ID,
  rehashed,
  SAMPLE,
  TRUSTED,
  verify,
} from './support.ts';

const { entries, seal, lines } = SAMPLE;
const last = entries.length - 1;

/** The sample with some entries in place of others, sealed as it was. */
function withEntries(changes: Record<number, LedgerEntry>): string[] {
  return toLines(
    entries.map((entry, index) => changes[index] ?? entry),
    seal,
  );
}

/** From `from` on every entry is chained anew. */
function rechained(from: number, change: Partial<LedgerEntry>): LedgerEntry[] {
  const chain = entries.slice(0, from);
  for (const entry of entries.slice(from)) {
    const { at, kind, data } = entry.seq === from ? { ...entry, ...change } : entry;
    chain.push(makeEntry(RUN_ID, chain.at(-1) ?? null, at, kind, data));
  }
  return chain;
}

describe('verifyLedger', () => {
  test('an unchanged sealed ledger is whole', () => {
    expect(verify(lines)).toEqual({
      status: 'whole',
      run_id: RUN_ID,
      entries: entries.length,
      head: seal.seal.head,
      sealed_by: keyFingerprint(KEY.publicKey),
      findings: [],
    });
  });

  test('without trusted keys it is whole with a note that names the key', () => {
    expect(verifyLedger(lines)).toMatchObject({
      status: 'whole',
      findings: [
        {
          code: 'seal-key-unchecked',
          severity: 'note',
          message: expect.stringContaining(keyFingerprint(KEY.publicKey)),
        },
      ],
    });
  });

  test("file, lines and a store's rows verify alike", () => {
    expect(verifyJsonl(toJsonl(entries, seal), TRUSTED)).toEqual(verify(lines));
    expect(verifyEntries(entries, seal, TRUSTED)).toEqual(verify(lines));
    const windows = toJsonl(entries, seal).replaceAll('\n', '\r\n');
    expect(verifyJsonl(windows, TRUSTED)).toMatchObject({
      status: 'broken',
      entries: entries.length,
      findings: [{ code: 'not-canonical', message: expect.stringContaining('CR LF') }],
    });
    const changed = windows.replace('"v":1', '"v":2');
    expect(errorsOf(verifyJsonl(changed, TRUSTED)).map(([code]) => code)).toContain('malformed');
  });

  test('a page or a picture is one finding', () => {
    for (const text of ['<!doctype html>\n<p>\n</p>\n', '\u0000PNG\r\n\u001a']) {
      expect(verifyJsonl(text)).toMatchObject({
        status: 'broken',
        findings: [
          { code: 'unreadable', message: expect.stringMatching(/^This is not the record of a run/) },
        ],
      });
    }
  });

  test('an open run is unsealed, an empty file is broken', () => {
    expect(verify(lines.slice(0, 5))).toEqual({
      status: 'unsealed',
      run_id: RUN_ID,
      entries: 5,
      head: entries[4]?.hash,
      sealed_by: null,
      findings: [],
    });
    expect(verifyJsonl('')).toMatchObject({ status: 'broken', run_id: null, findings: [{ code: 'empty' }] });
    expect(verifyLedger(lines.slice(0, 5), { ...TRUSTED, expectSealed: true })).toMatchObject({
      status: 'broken',
      findings: [{ code: 'seal-missing' }],
    });
  });

  test('the seal alone shows how much is missing', () => {
    expect(errorsOf(verify([lines[last + 1] ?? '']))).toEqual([['truncated', 0, null]]);
    expect(verify([lines[last + 1] ?? '']).findings).toMatchObject([{ entry: 0, last }]);
  });

  test('an edit that was hashed again is found through the entry after it', () => {
    for (const index of entries.keys()) {
      const entry = entries[index] as LedgerEntry;
      const forged = rehashed(entry, { data: { ...entry.data, forged: true } });
      expect(errorsOf(verify(withEntries({ [index]: forged })))).toEqual([['rewritten', index, index + 1]]);
    }
  });

  test('a new prev, number or run with a new hash is found at that entry', () => {
    const entry = entries[4] as LedgerEntry;
    expect(errorsOf(verify(withEntries({ 4: rehashed(entry, { prev: 'f'.repeat(64) }) })))).toEqual([
      ['rewritten', 4, 5],
    ]);
    expect(errorsOf(verify(withEntries({ 4: rehashed(entry, { seq: 9 }) })))).toEqual([['rewritten', 4, 5]]);
    expect(errorsOf(verify(withEntries({ 4: rehashed(entry, { run_id: OTHER.runId }) })))).toEqual([
      ['missing', 4, null],
      ['other-run', null, 5],
    ]);
    const genesis = entries[0] as LedgerEntry;
    expect(errorsOf(verify(withEntries({ 0: rehashed(genesis, { prev: '0'.repeat(64) }) })))).toEqual([
      ['rewritten', 0, 1],
    ]);
  });

  test('a chain rewritten from an entry to the end is found at the end, at the seal', () => {
    for (const from of entries.keys()) {
      const forged = rechained(from, { at: '2026-01-02T03:04:05.999Z' });
      expect(errorsOf(verify(toLines(forged, seal)))).toEqual([['rewritten', last, last + 1]]);
    }
  });

  test('a stretch rewritten in the middle is found where it meets what was not', () => {
    const forged = rechained(3, { at: '2026-01-02T03:04:05.999Z' });
    const mixed = entries.map((entry, index) => (index < 7 ? (forged[index] as LedgerEntry) : entry));
    expect(errorsOf(verify(toLines(mixed, seal)))).toEqual([['rewritten', 6, 7]]);
  });

  test('an entry put in and the rest numbered up: the one put in, and each one numbered up', () => {
    const before = entries[2] as LedgerEntry;
    const forged = makeEntry(RUN_ID, before, before.at, 'run.resumed', { by: 'eve' });
    const numberedUp = entries.slice(3).map((entry) => ({ ...entry, seq: entry.seq + 1 }));
    expect(errorsOf(verify(toLines([...entries.slice(0, 3), forged, ...numberedUp], seal)))).toEqual([
      ['inserted', 3, 4],
      ...numberedUp.map((_, index) => ['edited', index + 3, index + 5]),
    ]);
  });

  test('an entry removed and the rest renumbered: the gap, and each renumbered one', () => {
    const numberedDown = entries.slice(4).map((entry) => ({ ...entry, seq: entry.seq - 1 }));
    const errors = errorsOf(verify(toLines([...entries.slice(0, 3), ...numberedDown], seal)));
    expect(errors.filter(([code]) => code === 'edited')).toHaveLength(numberedDown.length);
    expect(errors.filter(([code]) => code !== 'edited')).toHaveLength(1);
  });

  test('an entry appended to a sealed run is not part of it', () => {
    const more = makeEntry(
      RUN_ID,
      entries[last] as LedgerEntry,
      '2027-01-01T00:00:00.000Z',
      'run.resumed',
      {},
    );
    for (const at of [last + 1, last + 2]) {
      expect(errorsOf(verify(lines.toSpliced(at, 0, canonical(more))))).toEqual([
        ['inserted', last + 1, at + 1],
      ]);
    }
  });

  test('faults of several kinds are all reported, each once', () => {
    const broken = lines
      .with(2, (lines[2] ?? '').replace('"station":0', '"station":1'))
      .toSpliced(6, 2)
      .toSpliced(9, 0, lines[1] ?? '');
    expect(errorsOf(verify(broken))).toEqual([
      ['duplicate', 1, 10],
      ['edited', 2, 3],
      ['missing', 6, null],
    ]);
    expect(verify(broken).findings[2]).toMatchObject({
      entry: 6,
      last: 7,
      message: 'Entries 6 to 7 are missing.',
    });
  });

  test('all of it backwards: a whole run is still put together', () => {
    const verification = verify(lines.toReversed());
    expect(verification.entries).toBe(entries.length);
    expect(errorsOf(verification).filter(([code]) => code === 'moved')).toHaveLength(last);
  });

  test('hashes forged into a circle end in findings, not in a loop', () => {
    const a = entries[3] as LedgerEntry;
    const b = entries[4] as LedgerEntry;
    // b.prev is a.hash already, so this closes a circle of two.
    const circle = withEntries({ 3: { ...a, prev: b.hash } });
    expect(errorsOf(verify(circle))).toEqual([['edited', 3, 4]]);
    const self = withEntries({ 3: { ...a, prev: a.hash } });
    expect(errorsOf(verify(self))).toEqual([['edited', 3, 4]]);
  });

  test('the run that was asked for', () => {
    expect(errorsOf(verifyLedger(lines, { ...TRUSTED, runId: RUN_ID }))).toEqual([]);
    expect(errorsOf(verifyLedger(lines, { ...TRUSTED, runId: OTHER.runId }))).toEqual([
      ['wrong-run', null, null],
    ]);
  });

  test('a clock set back is a note', () => {
    const chain = rechained(last, { at: '2020-01-01T00:00:00.000Z' });
    const resealed = makeSeal(RUN_ID, (chain[last] as LedgerEntry).hash, chain.length, KEY);
    expect(verify(toLines(chain, resealed))).toMatchObject({
      status: 'whole',
      findings: [{ code: 'time-backwards', severity: 'note', entry: last, line: last + 1 }],
    });
  });
});

describe('the seal', () => {
  test('of another key is not accepted when keys are named', () => {
    const other = makeSeal(RUN_ID, seal.seal.head, entries.length, OTHER_KEY);
    expect(errorsOf(verify(toLines(entries, other)))).toEqual([['seal-key-unknown', null, last + 2]]);
  });

  test('of a cut ledger made by another key is reported, even next to the true one', () => {
    const cut = makeSeal(RUN_ID, (entries[4] as LedgerEntry).hash, 5, OTHER_KEY);
    expect(errorsOf(verify(toLines(entries.slice(0, 5), cut)))).toEqual([
      ['end-misplaced', 4, 5],
      ['seal-key-unknown', null, 6],
    ]);
    expect(errorsOf(verify([...lines, canonical(cut)]))).toEqual([['seal-extra', null, last + 3]]);
    expect(errorsOf(verify([canonical(cut), ...lines]))).toEqual([['seal-extra', null, 1]]);
  });

  test('of another run seals nothing here', () => {
    expect(errorsOf(verify(toLines(entries, OTHER.seal)))).toEqual([['seal-other-run', null, last + 2]]);
  });

  test('over another count or head than that of the run', () => {
    const count = makeSeal(RUN_ID, seal.seal.head, entries.length + 2, KEY);
    expect(verify(toLines(entries, count)).findings).toMatchObject([
      { code: 'truncated', entry: last + 1, last: last + 2 },
    ]);
    const head = makeSeal(RUN_ID, 'e'.repeat(64), entries.length, KEY);
    expect(errorsOf(verify(toLines(entries, head)))).toEqual([['rewritten', last, last + 1]]);
    const unended = makeSeal(RUN_ID, (entries[4] as LedgerEntry).hash, 5, KEY);
    expect(errorsOf(verify(toLines(entries.slice(0, 5), unended)))).toEqual([['end-misplaced', 4, 5]]);
  });
});

test('two runs in one file: the one with more entries counts, the other is reported line by line', () => {
  const errors = errorsOf(verify([...OTHER.lines, ...lines]));
  expect(errors).toEqual([
    ...OTHER.entries.map((_, index) => ['other-run', null, index + 1]),
    ['seal-extra', null, OTHER.lines.length],
  ]);
  expect(makeRun([]).entries).toHaveLength(2);
});

test('reports every line of a long file that contains no entries', () => {
  const { status, findings } = verifyLedger([...lines, ...Array.from({ length: runs(150_000) }, () => '{}')]);
  expect(status).toBe('broken');
  expect(findings.length).toBeGreaterThanOrEqual(runs(150_000));
});
