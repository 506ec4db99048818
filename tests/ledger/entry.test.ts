import { expect, test } from 'vitest';
import { canonical, GENESIS_HASH } from '../../src/base/canonical.ts';
import { entryHash, makeEntry } from '../../src/ledger/entry.ts';
import { flips, SAMPLE } from './support.ts';

/** Computed by other programs: json.dumps and hashlib of Python, sha256sum. */
const BEGUN = {
  v: 1,
  run_id: '3f2c8f0e-6f0d-4c58-9b57-0d8d6a1f7c11',
  seq: 0,
  prev: 'aeebad4a796fcc2e15dc4c6061b45ed9b373f26adfc798ca7d2d8cc58182718e',
  at: '2026-01-02T03:04:05.006Z',
  kind: 'run.begun',
  data: { z: 1, a: 'é😀\u2028\n"\\/', n: null, list: [true, -7, { b: 9007199254740991, a: '' }] },
} as const;
const BEGUN_HASH = '1110df281f80dd824cb2d55030c242dc5c7ebe79e7fc746bcde4e833c652d71b';
const SEALED_HASH = '0f0a0a909a6948cb41227713b2cf435876b9b8951cb6b68ba8be14c33f92d601';

test('the hashes are those that other programs compute', () => {
  const { run_id, at, kind, data } = BEGUN;
  const begun = makeEntry(run_id, null, at, kind, { ...data, list: [...data.list] });
  expect(begun).toEqual({ ...BEGUN, hash: BEGUN_HASH });
  expect(begun.prev).toBe(GENESIS_HASH);
  expect(makeEntry(run_id, begun, '2026-01-02T03:04:06.000Z', 'run.sealed', {})).toEqual({
    v: 1,
    run_id,
    seq: 1,
    prev: BEGUN_HASH,
    at: '2026-01-02T03:04:06.000Z',
    kind: 'run.sealed',
    data: {},
    hash: SEALED_HASH,
  });
});

test('every leaf counts, nested ones too, and the order of keys does not', () => {
  for (const entry of SAMPLE.entries) {
    const { hash, ...body } = entry;
    for (const { path, flipped } of flips(body)) {
      expect([path, entryHash(flipped as typeof body)]).not.toEqual([path, hash]);
    }
    expect(entryHash(JSON.parse(canonical(entry)))).toBe(hash);
  }
});

test('what is written can be read by every tool: data is cleaned before it is hashed', () => {
  const entry = makeEntry('r', null, BEGUN.at, 'step.skipped', { text: 'a\x7f\ud800b', bonus: 0.5 });
  expect(entry.data).toEqual({ text: 'a\ufffd\ufffdb', bonus: '0.5' });
  expect(entry.hash).toBe(entryHash(entry));
});

test('an entry is deeply immutable, so what was read from it is what was hashed', () => {
  const { run_id, at, kind, data } = BEGUN;
  const entry = makeEntry(run_id, null, at, kind, { ...data, list: [...data.list] });
  const parts: unknown[] = [entry];
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue;
    expect(Object.isFrozen(part)).toBe(true);
    parts.push(...Object.values(part));
  }
  expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
});
