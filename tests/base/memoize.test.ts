import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoize } from '../../src/base/memoize.ts';

describe('memoize', () => {
  it('makes a thing once and hands the same out again', () => {
    let calls = 0;
    const read = memoize((text) => {
      calls += 1;
      return { text };
    }, 100);
    expect(read('a')).toBe(read('a'));
    expect(read('b')).toEqual({ text: 'b' });
    expect(calls).toBe(2);
  });

  it('drops values that were not used since half of the cache was refilled', () => {
    const made: string[] = [];
    const read = memoize((text) => {
      made.push(text);
      return { text };
    }, 8);
    for (const text of ['aa', 'bb', 'cc', 'aa', 'dd', 'aa', 'bb', 'cc']) read(text);
    expect(made).toEqual(['aa', 'bb', 'cc', 'dd', 'bb', 'cc']);
  });

  it('keeps nothing of a text that is too long, nor of a throw', () => {
    let calls = 0;
    const read = memoize((text) => {
      calls += 1;
      if (text === 'bad') throw new Error('bad');
      return { text };
    }, 6);
    read('long');
    read('long');
    for (let at = 0; at < 2; at += 1) expect(() => read('bad')).toThrow('bad');
    expect(calls).toBe(4);
  });

  it('keeps no more values than its limit', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 6 })), fc.nat(20), (texts, size) => {
        const made: string[] = [];
        const read = memoize((text) => {
          made.push(text);
          return { text };
        }, size);
        for (const text of texts) read(text);
        made.length = 0;
        const distinct = [...new Set(texts)].reverse();
        for (const text of distinct) read(text);
        const found = distinct.filter((text) => !made.includes(text));
        expect(found.join('').length).toBeLessThanOrEqual(size);
      }),
    );
  });

  it('accepts a value that was made elsewhere', () => {
    const made: string[] = [];
    const read = memoize((text) => {
      made.push(text);
      return `${text}!`;
    }, 8);
    read.keep('bbb', 'bbb!');
    read.keep('aaaaa', 'too long');
    expect([read('bbb'), read('aaaaa')]).toEqual(['bbb!', 'aaaaa!']);
    expect(made).toEqual(['aaaaa']);
  });

  it('returns the same as the wrapped function, after any earlier calls', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 4 })), fc.nat(10), (texts, size) => {
        const read = memoize((text) => ({ text }), size);
        for (const text of texts) expect(read(text)).toEqual({ text });
      }),
    );
  });
});
