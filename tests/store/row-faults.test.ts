import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunRow } from '../../src/store/port.ts';
import { rowFaults, runFacts, sealFacts } from '../../src/store/run-row.ts';
import { begun, next } from './builders.ts';

const first = begun('r1', { session: 's1' });
const shown = next(first, 'step.shown', {});
const sealed = next(shown, 'run.sealed', { outcome: 'success' });
const entries = [first, shown, sealed];

/** As a store makes it of so many entries. */
function rowOf(entryCount: number): RunRow {
  const counted = entries.slice(0, entryCount);
  return {
    runId: 'r1',
    storeSeq: 1,
    ...runFacts(counted),
    ...sealFacts(counted),
    head: counted.at(-1)!.hash,
    entryCount,
  };
}

function faultsOf(row: RunRow, gone: readonly number[] = []) {
  const left = entries.map((entry, at) => [at, entry] as const).filter(([at]) => !gone.includes(at));
  return rowFaults(row, new Map(left), (at) => gone.includes(at));
}

describe('an index row', () => {
  it('agrees with its ledger, however far that has grown since, and under any number from the store', () => {
    for (const count of [1, 2, 3]) {
      expect(faultsOf(rowOf(count))).toEqual([]);
      expect(faultsOf({ ...rowOf(count), storeSeq: 99 })).toEqual([]);
    }
  });

  const facts: [keyof RunRow, string][] = [
    ['space', 'space'],
    ['chainId', 'chain_id'],
    ['digest', 'digest'],
    ['slug', 'slug'],
    ['title', 'title'],
    ['actor', 'actor'],
    ['session', 'session'],
    ['begunAt', 'begun_at'],
  ];
  it('is reported for every field that its first entry does not confirm', () => {
    fc.assert(
      fc.property(fc.subarray(facts), fc.constantFrom(1, 2, 3), (changed, count) => {
        const forged = Object.fromEntries(changed.map(([name]) => [name, 'forged']));
        const fields = changed.map(([, field]) => field);
        const found = faultsOf({ ...rowOf(count), ...forged });
        expect(found.map(({ entry }) => entry)).toEqual(fields.length === 0 ? [] : [0]);
        expect(found[0]?.fields.toSorted() ?? []).toEqual(fields.toSorted());
      }),
    );
  });

  it('is reported for its head and its end, with the entry that it counts as the newest', () => {
    expect(faultsOf({ ...rowOf(2), head: '00' })).toEqual([{ entry: 1, fields: ['head'] }]);
    expect(faultsOf({ ...rowOf(3), entryCount: 2 })).toEqual([
      { entry: 1, fields: ['head', 'sealed_at', 'outcome'] },
    ]);
    expect(faultsOf({ ...rowOf(3), outcome: 'failure' })).toEqual([{ entry: 2, fields: ['outcome'] }]);
    expect(faultsOf({ ...rowOf(3), sealedAt: null, outcome: null })).toEqual([
      { entry: 2, fields: ['sealed_at', 'outcome'] },
    ]);
  });

  it.each([4, 0, -1, Number.NaN])('is reported when it counts %s entries', (entryCount) => {
    expect(faultsOf({ ...rowOf(3), entryCount })).toEqual([{ entry: null, fields: ['entries'] }]);
  });

  it('is not reported for entries that have another finding, or that begin nothing', () => {
    const forged = { ...rowOf(3), actor: 'eve', head: '00' };
    expect(faultsOf(forged, [0, 2])).toEqual([]);
    expect(rowFaults(rowOf(3), new Map([...entries.entries()].with(0, [0, shown])), () => false)).toEqual([]);
  });
});
