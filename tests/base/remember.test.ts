import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remember } from '../../src/base/remember.ts';

describe('remember', () => {
  it('makes a thing once and hands the same out again', () => {
    let calls = 0;
    const read = remember((text) => {
      calls += 1;
      return { text };
    }, 100);
    expect(read('a')).toBe(read('a'));
    expect(read('b')).toEqual({ text: 'b' });
    expect(calls).toBe(2);
  });

  it('forgets the oldest when it would hold too much', () => {
    const made: string[] = [];
    const read = remember((text) => {
      made.push(text);
      return { text };
    }, 4);
    for (const text of ['aa', 'bb', 'cc', 'bb', 'aa']) read(text);
    expect(made).toEqual(['aa', 'bb', 'cc', 'aa']);
  });

  it('keeps nothing of a text that is too long, nor of a throw', () => {
    let calls = 0;
    const read = remember((text) => {
      calls += 1;
      if (text === 'bad') throw new Error('bad');
      return { text };
    }, 3);
    read('long');
    read('long');
    for (let at = 0; at < 2; at += 1) expect(() => read('bad')).toThrow('bad');
    expect(calls).toBe(4);
  });

  it('takes what was made elsewhere, and lets it push older ones out', () => {
    const made: string[] = [];
    const read = remember((text) => {
      made.push(text);
      return `${text}!`;
    }, 4);
    read('aa');
    read.keep('bbb', 'bbb!');
    read.keep('aaaaa', 'too long');
    expect([read('bbb'), read('aa'), read('aaaaa')]).toEqual(['bbb!', 'aa!', 'aaaaa!']);
    expect(made).toEqual(['aa', 'aa', 'aaaaa']);
  });

  it('says the same as what it stands for, whatever was asked before', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 4 })), fc.nat(10), (texts, size) => {
        const read = remember((text) => ({ text }), size);
        for (const text of texts) expect(read(text)).toEqual({ text });
      }),
    );
  });
});
