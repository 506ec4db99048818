import { describe, expect, it } from 'vitest';
import {
  applyBaseline,
  type Baseline,
  fingerprintsWithin,
  makeBaseline,
  moveFindings,
} from '../../src/lint/baseline.ts';
import type { LintMessage, LintResult } from '../../src/lint/message.ts';
import { message } from './reporters/hostile.ts';

const keyOf = (path: string | undefined) => path ?? '-';
const NOTHING: Baseline = { version: 1, documents: {} };

const found = (...fingerprints: string[]): LintResult => ({
  path: 'a.md',
  messages: fingerprints.map((fingerprint) => message({ ruleId: 'no-h1', fingerprint })),
  suppressed: [],
});

describe('a baseline over fixed lines', () => {
  it('accepts what it knew by the line before, and only as often', () => {
    const baseline = makeBaseline([found('old', 'old', 'same')], NOTHING, keyOf);
    const after = found('same', 'new', 'new', 'new');
    const before = (_: unknown, { fingerprint }: LintMessage) => [fingerprint === 'new' ? 'old' : 'same'];
    const { gone, moved } = applyBaseline([after], baseline, { keyOf, before });
    expect({ gone, left: after.messages.length, accepted: after.suppressed.length }).toEqual({
      gone: 0,
      left: 1,
      accepted: 3,
    });
    const carried = moveFindings(baseline, moved);
    const again = found('same', 'new', 'new', 'new');
    expect(applyBaseline([again], carried, { keyOf })).toEqual({ gone: 0, moved: [] });
    expect(again.messages).toHaveLength(1);
    expect(baseline.documents['a.md']!['no-h1']).toEqual({ old: 2, same: 1 });
  });

  it('tries each line of a stretch', () => {
    const names = fingerprintsWithin('no-h1', 'a\r\nb\rc\nd', [1, 6]);
    expect(names).toHaveLength(3);
    expect(fingerprintsWithin('no-h1', 'b', [0, 0])).toEqual([names[1]]);
  });
});
