import { describe, expect, it } from 'vitest';
import { hashOnce } from '../../src/base/memoize.ts';

describe('hashOnce', () => {
  it('makes the hash of a frozen value once', () => {
    const made = ['hash 1', 'hash 2'];
    const hash = () => made.shift() ?? 'none';
    const value = Object.freeze({ a: 1 });
    expect([hashOnce(value, hash), hashOnce(value, hash)]).toEqual(['hash 1', 'hash 1']);
    expect(hashOnce(Object.freeze({ a: 1 }), hash)).toBe('hash 2');
  });

  it('caches no hash of a value that can still change', () => {
    const value = { a: 1 };
    const hash = ({ a }: typeof value) => `hash of ${a}`;
    expect(hashOnce(value, hash)).toBe('hash of 1');
    value.a = 2;
    expect(hashOnce(value, hash)).toBe('hash of 2');
  });
});
