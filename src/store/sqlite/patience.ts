import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './errors.ts';

/**
 * Retries an action for `waitMs` that other connections may block (it then changes nothing). Between two
 * tries the process continues with other work: waiting in SQLite would block a whole server.
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
