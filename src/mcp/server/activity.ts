import { setTimeout as delay } from 'node:timers/promises';

/** The calls that are being worked on, so that a server can end without breaking one off half way. */
export interface Activity {
  readonly count: number;
  track<T>(work: Promise<T>): Promise<T>;
  /** Resolves when nothing is being worked on, or after so many milliseconds: false then. */
  idle(ms: number): Promise<boolean>;
}

export function createActivity(): Activity {
  const running = new Set<Promise<unknown>>();
  return {
    get count() {
      return running.size;
    },
    track(work) {
      running.add(work);
      const done = () => running.delete(work);
      work.then(done, done);
      return work;
    },
    async idle(ms) {
      const timer = new AbortController();
      const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
      // Work that begins while other work ends is waited for as well.
      const settled = (async () => {
        while (running.size > 0) await Promise.allSettled([...running]);
        return true;
      })();
      const done = await Promise.race([settled, late]);
      timer.abort();
      return done;
    },
  };
}
