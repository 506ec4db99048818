import { describe, expect, it } from 'vitest';
import { planChain, planRun } from '../../../src/operations/moving/plan.ts';
import type { ChainRecord, Revision, RunRecord } from '../../../src/store/port.ts';
import { begun, contentOf, next, revisionOf, sealOf } from '../../store/builders.ts';

const revision = (title: string, number: number): Revision => {
  const { listed: _, ...rest } = revisionOf(contentOf({ title }));
  return { ...rest, number };
};
const chain = (revisions: Revision[], parts: Partial<ChainRecord> = {}): ChainRecord => ({
  chainId: revision('A', 1).chainId,
  space: 'personal',
  head: revisions.at(-1)?.number || null,
  revisions,
  quality: [],
  ...parts,
});
const A = revision('A', 1);
const B = revision('B', 2);
const rated = (runs: number) => [{ digest: A.digest, runs, successes: 0, bonus: 0 }];

/** What is put, as title and `+` when it is listed. */
const put = (plan: ReturnType<typeof planChain>) =>
  plan.do === 'put'
    ? [
        plan.as,
        plan.revisions.map(({ content, listed }) => `${content.title}${listed ? '+' : ''}`),
        plan.remove,
      ]
    : plan.do === 'nothing'
      ? plan.as
      : plan.do === 'refuse'
        ? plan.why
        : plan.do;

describe('planChain', () => {
  const C0 = { ...revision('C', 0) };
  it.each<[string, ChainRecord | null, ChainRecord, unknown, unknown, unknown]>([
    ['nothing here', null, chain([A]), 'restore', 'restore', 'restore'],
    ['the same', chain([A]), chain([A]), 'unchanged', 'unchanged', 'unchanged'],
    [
      'more is kept unlisted there',
      chain([A]),
      chain([C0, A]),
      ['extended', ['C'], false],
      ['extended', ['C'], false],
      ['extended', ['C'], false],
    ],
    ['more is kept unlisted here', chain([C0, A]), chain([A]), 'unchanged', 'unchanged', 'unchanged'],
    [
      'there it went on',
      chain([A]),
      chain([A, B]),
      'has another newest content here',
      'skipped',
      ['replaced', ['B+'], false],
    ],
    [
      'here it went on',
      chain([A, B]),
      chain([A]),
      'has another newest content here',
      'skipped',
      ['replaced', ['A+'], false],
    ],
    [
      'another history',
      chain([revision('X', 1)]),
      chain([A, B]),
      'has another newest content here',
      'skipped',
      ['replaced', ['A', 'B+'], false],
    ],
    [
      'another history to the same content',
      chain([revision('X', 1), B]),
      chain([A, B]),
      'has another history here',
      'skipped',
      ['replaced', ['A'], false],
    ],
    [
      'deleted there',
      chain([A]),
      chain([A], { head: null }),
      'is deleted or unlisted there, and live here',
      'skipped',
      ['replaced', [], true],
    ],
    [
      'deleted here',
      chain([A], { head: null }),
      chain([A]),
      'is not live here',
      'skipped',
      ['replaced', ['A+'], false],
    ],
    [
      'other counts',
      chain([A], { quality: rated(1) }),
      chain([A], { quality: rated(2) }),
      'has other counts of runs here',
      'skipped',
      'skipped',
    ],
  ])('%s', (_, held, moved, fail, skip, replace) => {
    expect(put(planChain(held, moved, 'fail'))).toEqual(fail);
    expect(put(planChain(held, moved, 'skip'))).toEqual(skip);
    expect(put(planChain(held, moved, 'replace'))).toEqual(replace);
  });

  it('keeps what moved runs are pinned to, even where it leaves the chain unchanged', () => {
    const held = chain([revision('X', 1)]);
    expect(put(planChain(held, chain([A, B]), 'skip', new Set([A.digest])))).toEqual([
      'skipped',
      ['A'],
      false,
    ]);
  });
});

describe('planRun', () => {
  const first = begun('r1');
  const second = next(first, 'step.shown', { nonce_sha256: 'n1' });
  const rival = next(first, 'step.shown', { nonce_sha256: 'n2' });
  const sealed = next(second, 'run.sealed', { outcome: 'success' });
  const run = (entries: RunRecord['entries'], seal: RunRecord['seal'] = null): RunRecord => ({
    runId: 'r1',
    storeSeq: 4,
    entries,
    seal,
  });
  const whole = run([first, second, sealed], sealOf(sealed));
  const resealed = run([first, second, sealed], { seal: { ...sealOf(sealed).seal, signature: 'CCCC' } });
  const said = (plan: ReturnType<typeof planRun>) =>
    plan.do === 'refuse' ? plan.why : plan.do === 'nothing' ? plan.as : plan.do;

  it.each<[string, RunRecord | null, string | null, RunRecord, string, string, string]>([
    ['nothing here', null, null, whole, 'restore', 'restore', 'restore'],
    [
      'its number is taken',
      null,
      'r9',
      whole,
      'has number 4, which is that of run r9 here',
      'skipped',
      'renumber',
    ],
    ['the same', whole, null, whole, 'unchanged', 'unchanged', 'unchanged'],
    [
      'there it went on',
      run([first]),
      null,
      whole,
      'has 3 entries, and only 1 of them here',
      'skipped',
      'extend',
    ],
    ['here it went on', whole, null, run([first]), ...three('has 1 entries there, and 3 here', 'skipped')],
    [
      'another entry',
      run([first, rival]),
      null,
      whole,
      ...always('differs from the run of this id here, from entry 1 on'),
    ],
    ['another seal', whole, null, resealed, ...always('has another seal than the run of this id here')],
    [
      'the seal is gone',
      run(whole.entries),
      null,
      whole,
      ...always('has another seal than the run of this id here'),
    ],
  ])('%s', (_, held, holder, moved, fail, skip, replace) => {
    expect(said(planRun(held, holder, moved, 'fail'))).toBe(fail);
    expect(said(planRun(held, holder, moved, 'skip'))).toBe(skip);
    expect(said(planRun(held, holder, moved, 'replace'))).toBe(replace);
  });

  function always(why: string): [string, string, string] {
    return [why, why, why];
  }
  function three(why: string, skip: string): [string, string, string] {
    return [why, skip, why];
  }
});
