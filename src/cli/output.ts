import { Chalk, type ChalkInstance } from 'chalk';
import { KairosError } from '../base/errors.ts';
import { escapeForTerminal, escapeJson } from '../base/escape.ts';
import type { CliIo, OutputStream } from './io.ts';

/** Where a command's words and objects go. */
export interface Output {
  /** `--json`: objects only, one in a line; words go nowhere but into them. */
  readonly json: boolean;
  /** The secrets of this environment are redacted in errors. */
  readonly env: NodeJS.ProcessEnv;
  readonly color: ChalkInstance;
  /** The same for standard error. */
  readonly noteColor: ChalkInstance;
  /** Columns to lay text out in. */
  readonly width: number;
  /** Columns of the terminal that standard output, or standard error, is. Undefined: it is not a terminal. */
  readonly columns: number | undefined;
  readonly noteColumns: number | undefined;
  /** Lines for people on standard output. Foreign text in them has been escaped; colours are added by kairos. */
  print(text: string): void;
  /** The same without a line break: for output that comes in pieces. */
  write(text: string): void;
  /** One object on standard output. */
  object(value: unknown): void;
  /**
   * A document to be kept: byte for byte into a pipe or file, escaped on a terminal. `json`: it is JSON, and its
   * escapes are JSON's.
   */
  document(text: string, options?: { json?: boolean }): void;
  /** Lines for people on standard error. */
  note(text: string): void;
  /** The same without a line break. */
  writeNote(text: string): void;
  /** Resolves when all is written. Throws FILE_UNWRITABLE when standard output failed; a closed pipe is not a failure. */
  flush(): Promise<void>;
}

interface OutputFlags {
  json: boolean;
  color: ColorFlag;
}

const DEFAULT_WIDTH = 80;
/** Longer lines are hard to read, however wide the window. */
const MAX_WIDTH = 100;

/** Writes to the streams of `io`. A closed reader (`| head -1`) is not an error: the rest is dropped. */
export function createOutput(io: CliIo, { json, color: flag }: OutputFlags): Output {
  const color = colorFor(io.stdout, { flag, env: io.env });
  const noteColor = colorFor(io.stderr, { flag, env: io.env });
  const out = watched(io.stdout);
  const err = watched(io.stderr);
  const write = (text: string) => out.write(gate(text, color.level > 0));
  const writeNote = (text: string) => err.write(gate(text, noteColor.level > 0));
  const print = (text: string) => write(`${text}\n`);
  return {
    json,
    env: io.env,
    color,
    noteColor,
    width: Math.min(MAX_WIDTH, io.stdout.columns || DEFAULT_WIDTH),
    columns: columnsOf(io.stdout),
    noteColumns: columnsOf(io.stderr),
    print,
    write,
    object: (value) => out.write(`${terminalJson(value)}\n`),
    document: (text, options = {}) => {
      if (io.stdout.isTTY !== true) out.write(text);
      else if (options.json) out.write(escapeJson(text));
      else print(text.replace(/\n$/, ''));
    },
    note: (text) => writeNote(`${text}\n`),
    writeNote,
    flush: async () => {
      await Promise.all([out.settled(), err.settled()]);
      const { failure } = out;
      if (failure === null || failure.code === 'EPIPE') return;
      throw new KairosError('FILE_UNWRITABLE', `standard output cannot be written: ${failure.message}`, {
        hint: 'Part of the output is lost; free some space or write elsewhere, and run it again.',
        cause: failure,
      });
    },
  };
}

function columnsOf({ isTTY, columns }: OutputStream): number | undefined {
  return isTTY === true && columns ? columns : undefined;
}

/** Keeps a stream's first failure, instead of letting it end the process, and writes nothing after it. */
function watched(stream: OutputStream) {
  const watch = {
    failure: null as NodeJS.ErrnoException | null,
    write(text: string): void {
      if (watch.failure === null) stream.write(text);
    },
    settled: () =>
      new Promise<void>((resolve) => {
        if (watch.failure !== null || stream.destroyed) resolve();
        else stream.write('', () => resolve());
      }),
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    watch.failure ??= error;
  });
  return watch;
}

/** A colour or weight, the only escape sequence that kairos prints. */
const SGR = /(\x1b\[[\d;]*m)/;

/**
 * The last gate before a terminal (SPEC 8). Foreign text is escaped where it is put into a line; this escapes all
 * but line breaks, tabs and, when colours are on, colours again, so that a forgotten place does no harm.
 */
export function gate(text: string, colored: boolean): string {
  const shown = (part: string) => escapeForTerminal(part, { keepNewlines: true, keepTabs: true });
  if (!colored) return shown(text);
  return text
    .split(SGR)
    .map((part, at) => (at % 2 === 1 ? part : shown(part)))
    .join('');
}

/** JSON of a value in one line. Control and hidden characters become `\uXXXX`: the value is the same. */
export function terminalJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

export type ColorFlag = 'auto' | 'always' | 'never';

interface ColorSituation {
  flag: ColorFlag;
  env: NodeJS.ProcessEnv;
  /** Whether the stream is a terminal. */
  terminal: boolean;
}

/**
 * Whether to use colour. `--color always|never` decides; then NO_COLOR (set and not empty, no-color.org);
 * then FORCE_COLOR (anything but `0` or `false`, as Node reads it); then whether the stream is a terminal
 * that isn't dumb.
 */
export function decideColor({ flag, env, terminal }: ColorSituation): boolean {
  if (flag !== 'auto') return flag === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return terminal && env.TERM !== 'dumb';
}

/** A chalk that always uses the sixteen colours of every terminal, or never uses any. */
export function createColor(enabled: boolean): ChalkInstance {
  return new Chalk({ level: enabled ? 1 : 0 });
}

/** The chalk for a stream. */
export function colorFor(
  stream: { isTTY?: boolean },
  { flag, env }: Pick<ColorSituation, 'flag' | 'env'>,
): ChalkInstance {
  return createColor(decideColor({ flag, env, terminal: stream.isTTY === true }));
}

/** Whether an environment variable is set to anything but a word for no. */
export function isFlagSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
