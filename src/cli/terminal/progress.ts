import { formatDuration } from '../../base/duration.ts';
import { escapeForTerminal } from '../../base/escape.ts';
import type { Call } from '../command.ts';
import { isFlagSet } from '../output.ts';

interface ProgressOptions {
  stream: NodeJS.WritableStream & { columns?: number };
  /** See `canAnimate`. */
  animate: boolean;
  /** Milliseconds; only differences matter. */
  now: () => number;
}

interface Progress {
  /** Writes output to the stream without breaking the timer's line. The caller escapes it. */
  write(text: string): void;
  /** Stops the timer and prints the result and the duration. */
  stop(outcome: string): void;
}

/** Whether a stream may show an animation: a terminal that can redraw a line, without a screen reader. */
export function canAnimate(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && !isFlagSet(env.ACCESSIBLE) && !isFlagSet(env.CI);
}

/** Shows that work continues: a line with the elapsed time or, without animation, a line at start and end. */
export function startProgress(label: string, { stream, animate, now }: ProgressOptions): Progress {
  const started = now();
  const title = escapeForTerminal(label);
  let lineStart = true;
  const erase = () => animate && lineStart && stream.write('\r\x1b[K');
  const draw = () => {
    if (!animate || !lineStart) return;
    const time = `  ${formatDuration(Math.floor((now() - started) / 1000) * 1000)}`;
    stream.write(`\r\x1b[K${clip(title, (stream.columns ?? 80) - time.length - 1)}${time}`);
  };
  if (!animate) stream.write(`${title} ...\n`);
  draw();
  const timer = animate ? setInterval(draw, 1000) : undefined;
  timer?.unref();

  return {
    write(text) {
      if (text === '') return;
      erase();
      stream.write(text);
      lineStart = text.endsWith('\n');
      draw();
    },
    stop(outcome) {
      clearInterval(timer);
      erase();
      if (!lineStart) stream.write('\n');
      stream.write(`${title}: ${escapeForTerminal(outcome)} (${formatDuration(now() - started)})\n`);
    },
  };
}

/** Cuts a text so that it fits the columns: a character outside ASCII may be two columns wide. */
function clip(text: string, columns: number): string {
  const room = Math.max(0, /^[\x20-\x7e]*$/.test(text) ? columns : Math.floor(columns / 2));
  const characters = [...text];
  return characters.length <= room ? text : `${characters.slice(0, Math.max(0, room - 1)).join('')}…`;
}

interface Counter {
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
