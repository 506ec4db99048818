import { setFlagsFromString } from 'node:v8';

/** The last V8 on which these flags were tried (Node 24). A flag that V8 does not know makes it complain on standard error. */
const LAST_TRIED = 13;

/**
 * Suits the garbage collector to thousands of documents one after the other, of which next to nothing stays (PERFORMANCE.md).
 * V8 takes what survives a collection by chance for long-lived, puts its like where it is seldom collected from then on, and
 * lets the heap grow to several times of what is alive. Without that it is a fifth faster and needs a third less memory.
 */
export function tuneHeap(): void {
  if (Number.parseInt(process.versions.v8, 10) > LAST_TRIED) return;
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=30');
}
