import { type IPty, spawn } from '@lydell/node-pty';
import { createScreen } from './screen.ts';

export interface TerminalOptions {
  args?: string[];
  cwd?: string;
  /** Added to an environment of PATH, HOME, LANG and TERM=xterm-256color. TERM can be set, not taken away. */
  env?: Record<string, string>;
  cols?: number;
  rows?: number;
}

/** A program on a pseudo-terminal, driven like `expect`. */
export interface Terminal {
  readonly pid: number;
  /** Everything written so far, control sequences included. */
  raw(): string;
  /** The lines as a person sees them, scrolled-off ones included, without blank lines at the end. */
  screen(): string;
  /**
   * Waits until the text written since the last match holds this, control sequences aside, and answers the match.
   * Fails with the screen when the program ends or nothing comes for `silenceMs` (20 s).
   */
  waitFor(pattern: string | RegExp, silenceMs?: number): Promise<string>;
  /** Sends keys; `KEYS` has names for the special ones. */
  send(keys: string): void;
  resize(cols: number, rows: number): void;
  /** Sends a signal to the program itself. */
  kill(signal: NodeJS.Signals): void;
  /** How it ended, once everything that it wrote has come. */
  readonly exit: Promise<{ exitCode: number; signal: number }>;
}

export const KEYS = {
  enter: '\r',
  ctrlC: '\x03',
  ctrlD: '\x04',
  ctrlZ: '\x1a',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
} as const;

/** Milliseconds without any output after which waiting is given up; each new output starts it afresh. */
const SILENCE_MS = 20_000;

const running = new Set<IPty>();

/** Starts a program on a terminal of its own. Pair it with `afterEach(closeTerminals)`. */
export function openTerminal(file: string, options: TerminalOptions = {}): Terminal {
  const { args = [], cwd = process.cwd(), cols = 80, rows = 24 } = options;
  const { PATH = '', HOME = '' } = process.env;
  const env: Record<string, string> = { PATH, HOME, LANG: 'C.UTF-8', TERM: 'xterm-256color', ...options.env };
  const pty = spawn(file, args, { cwd, cols, rows, name: env.TERM ?? 'dumb', env });
  running.add(pty);

  const screen = createScreen(cols);
  let raw = '';
  let seen = 0;
  let ended = false;
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of [...watchers]) watcher();
  };
  pty.onData((data) => {
    raw += data;
    screen.write(data);
    notify();
  });
  const exit = new Promise<{ exitCode: number; signal: number }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      ended = true;
      running.delete(pty);
      notify();
      resolve({ exitCode, signal: signal ?? 0 });
    });
  });

  return {
    pid: pty.pid,
    raw: () => raw,
    screen: () => screen.text(),
    send: (keys) => pty.write(keys),
    resize(newCols, newRows) {
      screen.resize(newCols);
      pty.resize(newCols, newRows);
    },
    kill: (signal) => process.kill(pty.pid, signal),
    exit,
    waitFor(pattern, silenceMs = SILENCE_MS) {
      return new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          clearTimeout(timer);
          watchers.delete(look);
          finish();
        };
        const fail = (why: string) =>
          settle(() => reject(new Error(`${why} ${String(pattern)}; the screen:\n${screen.text()}`)));
        const look = () => {
          timer.refresh();
          const { text, ends } = withoutSequences(raw, seen);
          const found = typeof pattern === 'string' ? literal(text, pattern) : pattern.exec(text);
          if (found !== null) {
            seen = ends[found.index + found[0].length - 1] ?? seen;
            settle(() => resolve(found[0]));
          } else if (ended) fail('The program ended before it wrote');
        };
        const timer = setTimeout(() => fail(`Nothing came for ${silenceMs} ms while waiting for`), silenceMs);
        watchers.add(look);
        look();
      });
    },
  };
}

/** Kills what is still running. */
export async function closeTerminals(): Promise<void> {
  for (const pty of running) {
    try {
      process.kill(-pty.pid, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
    running.delete(pty);
  }
}

const SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_=>]|\r/y;

/** The text from an offset on without control sequences, and where in the raw text each character of it ends. */
function withoutSequences(raw: string, from: number): { text: string; ends: number[] } {
  let text = '';
  const ends: number[] = [];
  for (let at = from; at < raw.length; ) {
    SEQUENCE.lastIndex = at;
    const sequence = SEQUENCE.exec(raw);
    if (sequence !== null) at += sequence[0].length;
    else {
      text += raw[at];
      at += 1;
      ends.push(at);
    }
  }
  return { text, ends };
}

function literal(text: string, wanted: string): { index: number; 0: string } | null {
  const index = text.indexOf(wanted);
  return index === -1 ? null : { index, 0: wanted };
}
