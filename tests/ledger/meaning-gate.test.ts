import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntryData, type EntryKind, makeEntry } from '../../src/ledger/entry.ts';
import { checkPermits, noPermits } from '../../src/ledger/meaning.ts';

type Step = [kind: EntryKind, data: EntryData];

/** What is told of a row of entries: each finding with the number of its entry. */
function told(steps: readonly Step[]): [string, number][] {
  const reading = noPermits();
  return steps.flatMap(([kind, data], at) => {
    const found: [string, number][] = [];
    checkPermits(reading, makeEntry('run', null, '2026-01-02T03:04:05.000Z', kind, data), (code) =>
      found.push([code, at]),
    );
    return found;
  });
}

const decided = (permit_id: string, step = 2, decision = 'ALLOW'): Step => [
  'proposal.decided',
  { step, decision, permit: decision === 'ALLOW' ? { permit_id } : null },
];
const used = (permit_id: string, step = 2, rollback = false): Step => [
  'permit.consumed',
  { step, permit_id, rollback },
];
const shown = (permit_id: string, step = 2): Step => ['step.shown', { step, permit_id }];
const undone = (permit_id: string, step = 2): Step => ['rollback.done', { step, permit_id }];

const WHOLE: Step[] = [
  decided('a', 2, 'HOLD'),
  decided('a'),
  used('a'),
  shown('a'),
  decided('b'),
  used('b', 2, true),
  undone('b'),
  ['step.shown', { step: 2 }],
];

describe('checkPermits', () => {
  it('accepts a step that was permitted, failed, and was rolled back', () => {
    expect(told(WHOLE)).toEqual([]);
  });

  it.each<[string, Step[], [string, number][]]>([
    ['a permit that nobody gave', [used('a')], [['permit-unknown', 0]]],
    ['one that was held', [decided('a', 2, 'HOLD'), used('a')], [['permit-unknown', 1]]],
    ['one of another step', [decided('a', 3), used('a')], [['permit-unknown', 1]]],
    ['one used twice', [decided('a'), used('a'), used('a')], [['permit-reused', 2]]],
    ['a command shown before its permit was used', [decided('a'), shown('a')], [['permit-unknown', 1]]],
    ['a rollback that was not begun', [decided('a'), used('a'), undone('a')], [['permit-unknown', 2]]],
    [
      'a rollback that ends twice',
      [decided('a'), used('a', 2, true), undone('a'), undone('a')],
      [['permit-reused', 3]],
    ],
  ])('finds %s', (_, steps, expected) => {
    expect(told(steps)).toEqual(expected);
  });

  it('finds each use of a permit without the decision that gave it, at any place', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 4 }), { maxLength: 8 }), (ids) => {
        const steps = ids.map((id, at): Step => (at % 2 === 0 ? decided(`p${id}`) : used(`p${id}`)));
        const given = new Set<string>();
        const spent = new Set<string>();
        const expected = steps.flatMap(([kind, data], at): [string, number][] => {
          if (kind === 'proposal.decided') {
            given.add((data.permit as { permit_id: string }).permit_id);
            return [];
          }
          const id = String(data.permit_id);
          const again: [string, number][] = spent.has(id) ? [['permit-reused', at]] : [];
          spent.add(id);
          return given.has(id) ? again : [...again, ['permit-unknown', at]];
        });
        expect(told(steps)).toEqual(expected);
      }),
    );
  });
});
