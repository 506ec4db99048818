import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isUpKey,
  makeTheme,
  useKeypress,
  usePrefix,
  useRef,
  useState,
} from '@inquirer/core';
import { KairosError } from '../../base/errors.ts';

/** The bundle includes only this part of the library. */
export { confirm } from '@inquirer/prompts';

export type LineRead =
  | { kind: 'line'; line: string }
  | { kind: 'eof' }
  | { kind: 'aborted' }
  /** The stream stayed silent for as long as the caller would wait. */
  | { kind: 'silent' };

/** Reads a stream line by line on request, and loses nothing between requests. */
interface LineReader {
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

interface LineInputOptions {
  message: string;
  /** True, or what the line still lacks. Shown while typing; Enter is ignored until it is true. */
  check: (line: string) => true | string;
  /** Shown under an empty line. */
  note?: string;
  /** Shown as the value of an empty line. */
  fallback?: string;
  /** Show stars instead of the line. */
  hidden?: boolean;
  /** A pasted text of several lines is one answer. */
  multiline?: boolean;
}

/** Milliseconds. Keys that follow Enter sooner than this were pasted. */
export const PASTE_MS = 40;

/** An input line that shows at every key what is still missing. Inquirer only checks on Enter. */
export const lineInput = createPrompt<string, LineInputOptions>((options, done) => {
  const theme = makeTheme();
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [line, setLine] = useState('');
  const [refused, setRefused] = useState(false);
  /** Lines of a paste that ended before the current line. */
  const pasted = useRef<string[]>([]);
  const timer = useRef<NodeJS.Timeout | undefined>(undefined);
  const justRefused = useRef(false);
  const prefix = usePrefix({ status, theme });
  const verdict = options.check(line);
  const end = (text: string) => {
    setStatus('done');
    done(text);
  };

  useKeypress((key, readline) => {
    if (status === 'done') return;
    clearTimeout(timer.current);
    if (!isEnterKey(key)) {
      // The rest of the same chunk: it was pasted, so the refused line was not the whole answer.
      const last = line.split('\n').at(-1) ?? '';
      if (justRefused.current && readline.line.startsWith(last)) {
        const more = readline.line.slice(last.length);
        pasted.current = line.split('\n');
        readline.clearLine(0);
        readline.write(more);
      }
      justRefused.current = false;
      setLine([...pasted.current, readline.line].join('\n'));
      setRefused(false);
    } else if (options.check(line) !== true) {
      // Enter has emptied the line: restore the text so that you can fix it.
      const lines = line.split('\n');
      readline.write(lines.pop() ?? '');
      pasted.current = lines;
      setRefused(true);
      justRefused.current = options.multiline === true;
      setImmediate(() => {
        justRefused.current = false;
      });
    } else if (options.multiline === true) {
      pasted.current = line.split('\n');
      timer.current = setTimeout(() => end(line), PASTE_MS);
    } else end(line);
  });

  // The length of a secret is not shown once it is given.
  const typed = options.hidden === true ? '*'.repeat(status === 'done' ? 8 : line.length) : line;
  const answer = status === 'done' ? theme.style.answer(typed) : typed;
  const fallback =
    options.fallback !== undefined && line === '' && status === 'idle'
      ? ` ${theme.style.defaultAnswer(options.fallback)}`
      : '';
  const question = `${prefix} ${theme.style.message(options.message, status)}${fallback} ${answer}`;
  if (status === 'done') return question;
  if (verdict !== true && refused) return [question, theme.style.error(verdict)];
  if (verdict !== true && line !== '') return [question, theme.style.help(verdict)];
  return [question, options.note === undefined || line !== '' ? '' : theme.style.help(options.note)];
});

interface ChoiceInputOptions {
  message: string;
  options: readonly { value: string; label: string; key: string }[];
  /** The value that a typed text stands for, or what is wrong with it. An empty text may stand for a default. */
  read: (text: string) => { value: string } | { reason: string };
  default: string | undefined;
}

/** A list to choose from: by key, by the words of an option, or by the arrow keys. */
export const choiceInput = createPrompt<string, ChoiceInputOptions>((options, done) => {
  const theme = makeTheme();
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState<string | null>(null);
  const prefix = usePrefix({ status, theme });
  const reading = options.read(typed);
  const chosen = 'value' in reading ? options.options.findIndex(({ value }) => value === reading.value) : -1;

  useKeypress((key, readline) => {
    if (status === 'done') return;
    if (isEnterKey(key)) {
      if ('reason' in reading) {
        readline.write(typed);
        setReason(reading.reason);
        return;
      }
      setStatus('done');
      done(reading.value);
      return;
    }
    setReason(null);
    if (!isUpKey(key) && !isDownKey(key)) return setTyped(readline.line);
    const { length } = options.options;
    const from = typed === '' ? (isDownKey(key) ? -1 : length) : chosen;
    const next = options.options[(from + (isDownKey(key) ? 1 : -1) + length) % length]!;
    readline.clearLine(0);
    readline.write(next.key);
    setTyped(next.key);
  });

  const message = theme.style.message(options.message, status);
  if (status === 'done')
    return `${prefix} ${message} ${theme.style.answer(options.options[chosen]?.label ?? '')}`;
  const lines = options.options.map(({ value, key, label }, at) => {
    const line = `  ${key}) ${label}${value === options.default ? ' (default)' : ''}`;
    return at === chosen ? theme.style.highlight(line) : line;
  });
  return [
    `${[`${prefix} ${message}`, ...lines].join('\n')}\n> ${typed}`,
    reason === null ? '' : theme.style.error(reason),
  ];
});
