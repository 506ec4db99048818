import type { Call } from '../command.ts';
import { canAnimate } from './progress.ts';

export interface Counter {
  /** Reports progress from time to time. Labels are fixed words. */
  tick(label: string, count: number): void;
  /** Counts what passes. */
  over<T>(label: string, items: AsyncIterable<T>): AsyncGenerator<T>;
  /** Removes the counter from the screen. */
  stop(): void;
}

/**
 * Shows a count on standard error: in place on a terminal, else on a line from time to time; nothing with
 * `--json`.
 */
export function moveCounter({ io, output }: Pick<Call<unknown[]>, 'io' | 'output'>): Counter {
  const { stderr, env } = io;
  const animate = canAnimate(stderr, env);
  const every = animate ? EVERY_ANIMATED : EVERY;
  let isDrawn = false;
  const tick = (label: string, count: number) => {
    if (output.json || count % every !== 0) return;
    stderr.write(animate ? `\r\x1b[K${label} ${count}` : `${label} ${count} ...\n`);
    isDrawn = animate;
  };
  return {
    tick,
    async *over(label, items) {
      let count = 0;
      for await (const item of items) {
        count += 1;
        tick(label, count);
        yield item;
      }
    },
    stop() {
      if (isDrawn) stderr.write('\r\x1b[K');
      isDrawn = false;
    },
  };
}

const EVERY_ANIMATED = 50;
const EVERY = 5_000;
