import { escapeForTerminal } from '../../base/escape.ts';
import { formatDuration } from './duration.ts';
import { isFlagSet } from './env-flag.ts';

export interface ProgressOptions {
  stream: NodeJS.WritableStream & { columns?: number };
  /** See `canAnimate`. */
  animate: boolean;
  /** Milliseconds; only differences count. */
  now: () => number;
}

export interface Progress {
  /** Writes output through to the stream without tearing the timer's line. The caller escapes it. */
  write(text: string): void;
  /** Ends the timer and says how it went and how long it took. */
  stop(outcome: string): void;
}

/** Whether a stream may carry an animation: a terminal that can redraw a line, and no reader that speaks each one. */
export function canAnimate(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && !isFlagSet(env.ACCESSIBLE) && !isFlagSet(env.CI);
}

/** Shows that something is going on: a line with the time elapsed, or, without animation, a line at start and end. */
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

/** Cuts a text so that it surely fits the columns: anything but ASCII may be two columns wide. */
function clip(text: string, columns: number): string {
  const room = Math.max(0, /^[\x20-\x7e]*$/.test(text) ? columns : Math.floor(columns / 2));
  const characters = [...text];
  return characters.length <= room ? text : `${characters.slice(0, Math.max(0, room - 1)).join('')}…`;
}
