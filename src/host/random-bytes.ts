import { randomBytes } from 'node:crypto';
import type { RandomBytes } from '../run/ports.ts';

/** Bytes to fetch in one call, because each system call costs as much as many bytes. */
const FETCHED = 1024;

/** Random bytes of the system, each returned once. */
export function randomSource(fetch: RandomBytes = randomBytes): RandomBytes {
  let fetched: Uint8Array = new Uint8Array();
  return (size) => {
    if (size > FETCHED) return fetch(size);
    if (size > fetched.length) fetched = fetch(FETCHED);
    const bytes = fetched.subarray(0, size);
    fetched = fetched.subarray(size);
    return bytes;
  };
}
