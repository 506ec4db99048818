import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { Redactor } from '../secrets/redact.ts';
import { type ProcessTree, signalTree } from './process-tree.ts';

/** What is kept of an output stream after redaction. */
export interface Captured {
  /**
   * The whole text, or its first and last 64 KiB with a line between them that reports how much was left out.
   */
  text: string;
  /** Length of the whole redacted stream in bytes of UTF-8. */
  bytes: number;
  /** Of the whole redacted stream. */
  sha256: string;
  truncated: boolean;
  /** The whole stream, not redacted: never stored or shown. Absent: not asked for, or longer than 8 MiB. */
  whole?: string;
}

interface Capture {
  add(text: string): void;
  result(): Captured;
}

const KEEP_BYTES = 64 * 1024;
/** A longer stream is not searched, and nothing is captured from it. */
const WHOLE_BYTES = 8 << 20;

/** Reads a stream in pieces and keeps only its head and tail. */
export function startCapture(): Capture {
  const hash = createHash('sha256');
  let bytes = 0;
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer[] = [];
  let tailBytes = 0;

  return {
    add(text) {
      const piece = Buffer.from(text, 'utf8');
      hash.update(piece);
      bytes += piece.length;
      const room = KEEP_BYTES - head.length;
      if (room > 0) head = Buffer.concat([head, piece.subarray(0, room)]);
      if (piece.length <= room) return;
      const rest = piece.subarray(Math.max(room, 0));
      tail.push(rest);
      tailBytes += rest.length;
      if (tailBytes > 4 * KEEP_BYTES) {
        tail = [lastBytes(tail)];
        tailBytes = KEEP_BYTES;
      }
    },
    result() {
      const sha256 = hash.copy().digest('hex');
      const truncated = bytes > 2 * KEEP_BYTES;
      if (!truncated)
        return { text: Buffer.concat([head, ...tail]).toString('utf8'), bytes, sha256, truncated };
      const first = withoutBrokenEnd(head);
      const last = withoutBrokenStart(lastBytes(tail));
      const gap = `\n[... ${bytes - first.length - last.length} bytes left out ...]\n`;
      return { text: first.toString('utf8') + gap + last.toString('utf8'), bytes, sha256, truncated };
    },
  };
}

function lastBytes(pieces: readonly Buffer[]): Buffer {
  return Buffer.concat(pieces).subarray(-KEEP_BYTES);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Cuts off the bytes of a character that does not end within the buffer. */
function withoutBrokenEnd(buffer: Buffer): Buffer {
  let start = buffer.length - 1;
  while (isContinuation(buffer[start])) start -= 1;
  const lead = buffer[start] as number;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return start + length > buffer.length ? buffer.subarray(0, start) : buffer;
}

/** Cuts off the bytes of a character that began before the buffer. */
function withoutBrokenStart(buffer: Buffer): Buffer {
  let start = 0;
  while (isContinuation(buffer[start])) start += 1;
  return buffer.subarray(start);
}

/** A stream of a command as text, redacted on its way. */
export interface StreamReader {
  /** What was read by now; nothing is added after it. */
  result(): Captured;
}

/**
 * Reads a stream to its end. Bytes that are not UTF-8, and DEL, which a ledger can't contain, become U+FFFD.
 * `onText` gets the redacted pieces as they arrive and must not throw. `keepsWhole`: the result has the whole stream too.
 */
export function readOutput(
  stream: Readable,
  redactor: Pick<Redactor, 'stream'>,
  onText: (text: string) => void,
  keepsWhole = false,
): StreamReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const redaction = redactor.stream();
  const capture = startCapture();
  let captured: Captured | undefined;
  let whole: string[] | null = keepsWhole ? [] : null;
  let length = 0;

  const take = (text: string) => {
    if (text === '') return;
    capture.add(text);
    onText(text);
  };
  const decoded = (chunk?: Buffer) => {
    const text = decoder.decode(chunk, { stream: chunk !== undefined }).replaceAll('\u007f', '\ufffd');
    length += chunk?.length ?? 0;
    if (length > WHOLE_BYTES) whole = null;
    whole?.push(text);
    return text;
  };
  stream.on('data', (chunk: Buffer) => {
    if (captured === undefined) take(redaction.push(decoded(chunk)));
  });
  stream.on('error', () => {}); // what was read counts; that the stream broke shows in the command's end

  return {
    result() {
      if (captured === undefined) {
        take(redaction.push(decoded()));
        take(redaction.end());
        captured = { ...capture.result(), ...(whole === null ? {} : { whole: whole.join('') }) };
      }
      return captured;
    },
  };
}

/** Ctrl-Z while a command runs: how long it has lasted, and who has to know. */
export interface Suspension {
  /** Milliseconds that the command was suspended so far. */
  ms(): number;
  /** Calls back when a suspension begins and when it ends. */
  onChange(listener: (suspended: boolean) => void): void;
  /** The tree to suspend, once it is started. */
  attach(tree: ProcessTree): void;
  dispose(): void;
}

/**
 * Suspends the tree of a command together with this program on SIGTSTP, and continues both on SIGCONT. A command that shares the
 * terminal's group gets the signals itself.
 */
export function watchSuspension(): Suspension {
  let tree: ProcessTree | null = null;
  const listeners: ((suspended: boolean) => void)[] = [];
  let total = 0;
  let since: number | null = null;
  const tell = (suspended: boolean) => {
    for (const listener of listeners) listener(suspended);
  };
  const suspend = () => {
    if (since !== null) return;
    since = performance.now();
    tell(true);
    if (tree?.ownGroup) signalTree(tree, 'SIGSTOP');
    // Catching SIGTSTP has kept this program from being suspended by it.
    process.kill(process.pid, 'SIGSTOP');
  };
  const resume = () => {
    if (since === null) return;
    total += performance.now() - since;
    since = null;
    if (tree !== null) signalTree(tree, 'SIGCONT');
    tell(false);
  };
  const isKnown = 'SIGTSTP' in constants.signals;
  if (isKnown) process.on('SIGTSTP', suspend).on('SIGCONT', resume);
  return {
    ms: () => total + (since === null ? 0 : performance.now() - since),
    onChange: (listener) => listeners.push(listener),
    attach: (started) => {
      tree = started;
    },
    dispose() {
      if (isKnown) process.removeListener('SIGTSTP', suspend).removeListener('SIGCONT', resume);
    },
  };
}

/** A timer that pauses while the command is suspended. */
export function pausableTimer(action: () => void, ms: number, pause: Suspension): { clear(): void } {
  let left = ms;
  let armed = performance.now();
  let isOver = false;
  let timer = setTimeout(action, ms);
  pause.onChange((suspended) => {
    if (isOver) return;
    clearTimeout(timer);
    if (suspended) {
      left -= performance.now() - armed;
    } else {
      armed = performance.now();
      timer = setTimeout(action, Math.max(left, 0));
    }
  });
  return {
    clear() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Saves the settings of the terminal on stdin; the returned function restores them. Without a terminal it
 * does nothing.
 */
export function saveTerminal(): () => void {
  if (!process.stdin.isTTY) return () => {};
  const { stdout } = spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
  const settings = stdout?.trim();
  if (!settings) return () => {};
  return () => {
    spawnSync('stty', [settings], { stdio: ['inherit', 'ignore', 'ignore'] });
  };
}
