import { describe, expect, test } from 'vitest';
import { type EntryData, type EntryKind, type LedgerEntry, makeEntry } from '../../src/ledger/entry.ts';
import { checkMeaning } from '../../src/ledger/meaning.ts';
import { OTHER, RUN_ID, SAMPLE } from './support.ts';

type Step = [kind: string, data: EntryData];
const STEPS: Step[] = SAMPLE.entries.map(({ kind, data }) => [kind, data]);
const last = STEPS.length - 1;

/** A chain of whole entries that says this; hashes that are echoed in it follow along. */
function chain(steps: Step[]): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  const renamed = new Map<unknown, string>();
  for (const [index, [kind, data]] of steps.entries()) {
    const echo = (value: unknown) => renamed.get(value) ?? (value as string);
    const followed = {
      ...data,
      ...('proof_hash' in data ? { proof_hash: echo(data.proof_hash) } : {}),
      ...('echoed' in data ? { echoed: echo(data.echoed) } : {}),
    };
    const entry = makeEntry(
      RUN_ID,
      entries.at(-1) ?? null,
      '2026-01-02T03:04:05.000Z',
      kind as EntryKind,
      followed,
    );
    const original = SAMPLE.entries.find((old) => old.data === data) ?? SAMPLE.entries[index];
    if (original !== undefined) renamed.set(original.hash, entry.hash);
    entries.push(entry);
  }
  return entries;
}

function codes(steps: Step[], isSealed = true): [string, number | null][] {
  return checkMeaning(chain(steps), isSealed).map(({ code, entry }) => [code, entry]);
}

function changed(index: number, change: EntryData): Step[] {
  return STEPS.map(([kind, data], at) => [kind, at === index ? { ...data, ...change } : data]);
}

function indexOf(kind: string, nth = 0): number {
  return (
    STEPS.map(([name], index) => [name, index] as const).filter(([name]) => name === kind)[nth]?.[1] ?? -1
  );
}

describe('checkMeaning', () => {
  test('accepts all runs of the engine, finished or not', () => {
    expect(codes(STEPS)).toEqual([]);
    for (let count = 1; count < STEPS.length; count += 1)
      expect(codes(STEPS.slice(0, count), false)).toEqual([]);
    expect(checkMeaning(OTHER.entries, true)).toEqual([]);
  });

  test('a rebase leaves the recorded revision, and carries over every step that was passed', () => {
    const at = indexOf('proof.accepted') + 1;
    const [, begun] = STEPS[0]!;
    const rebased = (data: EntryData): [string, number | null][] =>
      codes([...STEPS.slice(0, at), ['run.rebased', { digest: 'b'.repeat(64), ...data }]], false);
    const from = { digest: begun.digest ?? null };
    const carried = [STEPS[at - 1]![1].step ?? null];
    expect(rebased({ from, carried })).toEqual([['run-rebased', at]]);
    expect(rebased({ from, carried: [] })).toEqual([
      ['run-rebased', at],
      ['context-differs', at],
    ]);
    expect(rebased({ from: { digest: 'c'.repeat(64) }, carried })).toEqual([
      ['run-rebased', at],
      ['context-differs', at],
    ]);
  });

  test('the text of the protocol is the one that the digest names', () => {
    // The digest of the sample is that of its id.
    const [, { digest = null }] = STEPS[0]!;
    expect(codes(changed(0, { content_json: RUN_ID }))).toEqual([]);
    expect(codes(changed(0, { content_json: `${RUN_ID}.` }))).toEqual([['content-differs', 0]]);
    expect(codes(changed(0, { content_json: { text: RUN_ID } }))).toEqual([['content-differs', 0]]);
    const rebased: Step = ['run.rebased', { from: { digest }, carried: [], digest, content_json: '{}' }];
    expect(codes([...STEPS.slice(0, 2), rebased], false)).toEqual([
      ['run-rebased', 2],
      ['content-differs', 2],
    ]);
  });

  test('an unknown kind', () => {
    expect(codes(STEPS.with(3, ['proof.improved', {}])).slice(0, 1)).toEqual([['kind-unknown', 3]]);
  });

  test('a run begins once, at the beginning', () => {
    expect(codes(STEPS.with(0, ['run.resumed', {}]))).toEqual([['begin-misplaced', 0]]);
    expect(codes(STEPS.toSpliced(1, 0, ['run.begun', {}]))).toEqual([['begin-misplaced', 1]]);
  });

  test('a run ends once, at the end', () => {
    expect(codes(STEPS.slice(0, -1))).toEqual([['end-misplaced', last - 1]]);
    expect(codes([...STEPS, ['run.resumed', {}]])).toEqual([
      ['end-misplaced', last],
      ['end-misplaced', last + 1],
    ]);
  });

  test('a proof echoes the one before it, and so does what asks for it', () => {
    const second = indexOf('proof.accepted', 1);
    expect(codes(changed(second, { echoed: 'f'.repeat(64) }))).toEqual([['proof-chain', second]]);
    const asking = indexOf('step.shown', 1);
    expect(codes(changed(asking, { proof_hash: 'f'.repeat(64) }))).toEqual([['proof-chain', asking]]);
  });

  test('a nonce is shown first, for its step, and used once', () => {
    const proof = indexOf('proof.accepted', 1);
    expect(codes(changed(proof, { nonce_sha256: 'f'.repeat(64) }))).toEqual([['nonce-unknown', proof]]);
    const shown = indexOf('step.shown', 1);
    const first = STEPS[indexOf('step.shown')]?.[1].nonce_sha256 ?? null;
    expect(codes(changed(shown, { nonce_sha256: first })).map(([code]) => code)).toContain('nonce-reused');
    const failed = STEPS[indexOf('proof.rejected')]?.[1].nonce_sha256 ?? null;
    expect(codes(changed(proof, { nonce_sha256: failed }))).toEqual([['nonce-reused', proof]]);
  });

  test('steps are passed in order, each once', () => {
    const proof = indexOf('proof.accepted', 1);
    expect(codes(changed(proof, { station: 3 })).map(([code]) => code)).toEqual(
      expect.arrayContaining(['step-order', 'nonce-unknown']),
    );
    const skip = indexOf('step.skipped');
    expect(codes(changed(skip, { station: 0 }))).toEqual([['step-order', skip]]);
    const shown = indexOf('step.shown', 2);
    expect(codes(changed(shown, { station: 0 })).map(([code]) => code)).toContain('step-order');
  });

  test('a rejected optional proof passes its step', () => {
    const waived = STEPS.toSpliced(indexOf('step.skipped'), 1, [
      'proof.rejected',
      { station: 2, waived: true },
    ]);
    expect(codes(waived)).toEqual([]);
  });

  test('assurance is a known one, and counted correctly', () => {
    const proof = indexOf('proof.accepted');
    expect(codes(changed(proof, { assurance: 'certain' }))).toEqual([
      ['assurance-unknown', proof],
      ['assurance-counts', last],
    ]);
    expect(codes(changed(proof, { assurance: 'attested' }))).toEqual([['assurance-counts', last]]);
    expect(codes(changed(last, { self_reported: true }))).toEqual([['assurance-counts', last]]);
  });

  test('missing keys are not judged', () => {
    const bare = STEPS.map(
      ([kind, { assurance = null }]): Step => [kind, kind === 'proof.accepted' ? { assurance } : {}],
    );
    expect(codes(bare)).toEqual([]);
  });
});
