import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { KairosError } from '../../base/errors.ts';

export type LineRead =
  | { kind: 'line'; line: string }
  | { kind: 'eof' }
  | { kind: 'aborted' }
  /** The stream stayed silent for as long as the caller would wait. */
  | { kind: 'silent' };

/** Reads a stream line by line on request, and loses nothing between requests. */
export interface LineReader {
  /**
   * The next line without its LF or CRLF; text after the last terminator is also a line. One call at a time.
   * `patienceMs`: give up after this time without a byte. Rejects with INVALID_INPUT for a line over 1 MiB.
   */
  next(options: { signal: AbortSignal; patienceMs?: number }): Promise<LineRead>;
  /** The number of unread lines so far, without blank ones. */
  waiting(): number;
  /** Stops listening; unread lines stay unread. */
  close(): void;
}

/** In characters: much longer than any answer, and harmless. */
const MAX_LINE = 1024 * 1024;

/**
 * The only reader of an input stream. The stream is paused between requests, so that children can read it.
 */
export function createLineReader(stream: Readable): LineReader {
  const decoder = new StringDecoder('utf8');
  const lines: string[] = [];
  let rest = '';
  let ended = stream.readableEnded || stream.destroyed;
  let wake: (() => void) | null = null;

  const onData = (chunk: Buffer | string) => {
    const parts = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map(withoutCarriageReturn));
    wake?.();
  };
  const onEnd = () => {
    if (ended) return;
    ended = true;
    rest += decoder.end();
    if (rest !== '') lines.push(withoutCarriageReturn(rest));
    rest = '';
    wake?.();
  };
  const listeners = { data: onData, end: onEnd, close: onEnd, error: onEnd } as const;
  for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener);
  idle();

  return {
    async next({ signal, patienceMs }) {
      for (;;) {
        if (signal.aborted) return { kind: 'aborted' };
        const line = lines.shift();
        if (line !== undefined) {
          if (line.length > MAX_LINE) throw tooLong();
          return { kind: 'line', line };
        }
        if (rest.length > MAX_LINE) throw tooLong();
        if (ended) return { kind: 'eof' };
        if (!(await moreInput(signal, patienceMs))) return { kind: 'silent' };
      }
    },
    waiting: () => lines.filter((line) => line.trim() !== '').length,
    close() {
      for (const [event, listener] of Object.entries(listeners)) stream.removeListener(event, listener);
      idle();
    },
  };

  /** A paused pipe is still read ahead, which would keep the process from ending. */
  function idle(): void {
    stream.pause();
    (stream as Partial<Socket>).unref?.();
  }

  /** Lets the stream flow until something happens; false on timeout. */
  function moreInput(signal: AbortSignal, patienceMs: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (happened: boolean) => {
        wake = null;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        idle();
        resolve(happened);
      };
      const onAbort = () => settle(true);
      const timer = patienceMs === undefined ? undefined : setTimeout(() => settle(false), patienceMs);
      signal.addEventListener('abort', onAbort);
      wake = () => settle(true);
      (stream as Partial<Socket>).ref?.();
      stream.resume();
    });
  }
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function tooLong(): KairosError {
  return new KairosError('INVALID_INPUT', 'An answer on standard input is longer than 1 MiB.', {
    hint: 'Give one answer a line, or use --answers FILE.',
  });
}
