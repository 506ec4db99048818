import { describe, expect, it } from 'vitest';
import { noncesOf, runFacts, sealFacts } from '../../src/store/run-row.ts';
import { AT, begun, next } from './builders.ts';

describe('runFacts', () => {
  it('comes from the run.begun entry', () => {
    const entry = begun('r1', { session: 's1', actor: 'bob' });
    const { chain_id, digest, slug, title, space } = entry.data;
    expect(runFacts([entry])).toEqual({
      space,
      chainId: chain_id,
      digest,
      slug,
      title,
      actor: 'bob',
      session: 's1',
      begunAt: AT,
    });
    expect(runFacts([begun('r1', { session: null })]).session).toBeNull();
  });

  it.each(['space', 'chain_id', 'digest', 'slug', 'title', 'actor'])(
    'refuses a first entry without %s',
    (key) => {
      expect(() => runFacts([begun('r1', { [key]: null })])).toThrow(`the run.begun entry lacks ${key}`);
    },
  );

  it('refuses entries that do not begin with run.begun', () => {
    expect(() => runFacts([])).toThrow('a run must begin with a run.begun entry');
    expect(() => runFacts([next(begun('r1'), 'step.shown')])).toThrow(
      'a run must begin with a run.begun entry',
    );
  });
});

describe('sealFacts', () => {
  it('comes from the run.sealed entry, if there is one', () => {
    const first = begun('r1');
    expect(sealFacts([first])).toEqual({ sealedAt: null, outcome: null });
    const sealed = next(first, 'run.sealed', { outcome: 'success' }, '2026-05-05T05:05:05.000Z');
    expect(sealFacts([first, sealed])).toEqual({ sealedAt: '2026-05-05T05:05:05.000Z', outcome: 'success' });
  });
});

describe('noncesOf', () => {
  it('are those shown, not those submitted', () => {
    const first = begun('r1');
    expect(noncesOf(next(first, 'step.shown', { nonce_sha256: 'n' }))).toEqual(['n']);
    expect(noncesOf(next(first, 'step.shown', { nonce_sha256: null }))).toEqual([]);
    expect(noncesOf(next(first, 'proof.accepted', { nonce_sha256: 'n' }))).toEqual([]);
  });
});
