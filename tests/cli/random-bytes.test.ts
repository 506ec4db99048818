import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomSource } from '../../src/host/system.ts';

/** Every byte tells its own place in the stream. */
function counted() {
  let next = 0;
  return (size: number) => Uint16Array.from({ length: size }, () => next++) as unknown as Uint8Array;
}

it('returns each byte once, as many as requested', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(64), fc.nat(3000))), (sizes) => {
      const random = randomSource(counted());
      const handed = sizes.map((size) => random(size));
      expect(handed.map(({ length }) => length)).toEqual(sizes);
      const all = handed.flatMap((bytes) => [...bytes]);
      expect(new Set(all).size).toBe(all.length);
    }),
  );
});

it('is random by itself', () => {
  const random = randomSource();
  expect(new Set(Array.from({ length: 500 }, () => Buffer.from(random(16)).toString('hex'))).size).toBe(500);
});
