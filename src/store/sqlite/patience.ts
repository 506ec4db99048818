import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './errors.ts';

/**
 * Does what other connections may be in the way of (it changes nothing then), again and again for `waitMs`. Between two tries
 * the process goes on with other things: waiting in SQLite would keep a server from answering anybody.
 */
export async function patiently<T>(action: () => T, waitMs: number): Promise<T> {
  let until: number | undefined;
  for (;;) {
    try {
      return action();
    } catch (error) {
      until ??= performance.now() + waitMs;
      if (!isBusy(error) || performance.now() >= until) throw error;
    }
    await delay(5 + Math.random() * 20);
  }
}
