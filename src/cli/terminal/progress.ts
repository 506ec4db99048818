import { formatDuration } from '../../base/duration.ts';
import type { Call } from '../command.ts';
import { isFlagSet } from '../output.ts';

interface SilenceOptions {
  /** Only a terminal gets a line. */
  stream: NodeJS.WritableStream & { columns?: number; isTTY?: boolean };
  /** See `canAnimate`. Without animation the line is printed once. */
  animate: boolean;
  /** Milliseconds; only differences matter. */
  now: () => number;
  limitMs: number;
}

/** A line for work that prints nothing for a while. */
export interface SilenceWatch {
  /** Call before output is written to the terminal. */
  heard(text: string): void;
  /** Removes the line. */
  stop(): void;
}

/** Whether a stream may show an animation: a terminal that can redraw a line, without a screen reader. */
export function canAnimate(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && !isFlagSet(env.ACCESSIBLE) && !isFlagSet(env.CI);
}

/** Silence after which a line appears, in milliseconds. */
const SILENT_MS = 2000;

/** Shows the elapsed time and the limit of work as long as it prints nothing. */
export function watchSilence({ stream, animate, now, limitMs }: SilenceOptions): SilenceWatch {
  const started = now();
  let heardAt = started;
  let isLineOpen = false;
  let isShown = false;
  const show = () => {
    if (isLineOpen || now() - heardAt < SILENT_MS) return;
    const elapsed = formatDuration(Math.floor((now() - started) / 1000) * 1000);
    const text = `running for ${elapsed}, limit ${formatDuration(limitMs)}`;
    if (animate) stream.write(`\r\x1b[K${clip(text, (stream.columns ?? 80) - 1)}`);
    else if (!isShown) stream.write(`${text}\n`);
    isShown = true;
  };
  const erase = () => {
    if (isShown && animate) stream.write('\r\x1b[K');
    if (animate) isShown = false;
  };
  const timer = stream.isTTY === true ? setInterval(show, 1000) : undefined;
  timer?.unref();
  return {
    heard(text) {
      if (text === '') return;
      erase();
      heardAt = now();
      isLineOpen = !text.endsWith('\n');
    },
    stop() {
      clearInterval(timer);
      erase();
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
