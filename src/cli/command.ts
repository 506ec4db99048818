import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { KairosError } from '../base/errors.ts';
import type { CliIo } from './io.ts';
import type { ColorFlag, Output } from './output.ts';

/** Options of every command. */
export interface CommonOptions {
  store?: string;
  space?: string;
  json?: boolean;
  /** `--policy`, for the commands that have it. */
  policy?: string;
  /** `--workdir` and `--root`, likewise. */
  workdir?: string;
  root?: string[];
  color: ColorFlag;
  debug?: boolean;
}

/** One call of a command. */
export interface Call<Args extends unknown[] = [], Options = unknown> {
  /** Positional arguments, in the order of the definition. */
  args: Args;
  options: Options & CommonOptions;
  io: CliIo;
  output: Output;
}

/** Runs the command and returns its exit code. Throws errors. */
export type Handler<Args extends unknown[], Options> = (call: Call<Args, Options>) => Promise<number>;

/** Ties a command's names and options to the handler, which is loaded when it is called. */
export type Bind = <Args extends unknown[], Options>(
  command: Command,
  load: () => Promise<Handler<Args, Options>>,
) => Command;

/** A command's names, arguments, options and help: everything that has to be known to start. */
export type Definition = (bind: Bind) => Command;

/** Headings of the main help, in order. */
export const GROUP = {
  walk: 'Run a protocol:',
  protocols: 'Keep protocols:',
  records: 'See what was done:',
  agents: 'Work with agents:',
  setup: 'Set up:',
} as const;

/** The options with which `next` and `attest` name a run and submit a solution. */
export interface SolutionOptions extends ActorOptions {
  solution?: string;
  run?: string;
}

/** Who acts, on the record of the run. The gate judges the account all the same. */
export const actorOption = () =>
  new Option(
    '--actor <name>',
    'record this name as the one who acts (default: the configuration, then your account)',
  );

export interface ActorOptions {
  actor?: string;
}

/** `--out` of what is one text. */
export const outOption = () =>
  new Option('--out <file>', 'write to a file; - is standard output (the default)');

/** The file of `outOption`; undefined for standard output. */
export function fileOf(out: string | undefined): string | undefined {
  return out === '-' ? undefined : out;
}

/** Writes a text to the file of `--out`, or prints it. Returns the file; null if it printed. */
export async function writeOut(
  { options, io, output }: Call<unknown[], { out?: string; force?: boolean }>,
  text: string,
  shown?: { json: boolean },
): Promise<string | null> {
  const file = fileOf(options.out);
  if (file === undefined) {
    output.document(text, shown);
    return null;
  }
  const { writeFileAtomically } = await import('../host/files/write-file.ts');
  await writeFileAtomically(resolve(io.cwd, file), text, options.force === true);
  return file;
}

/** `--out` of what may be several files. */
export const outFolderOption = (about: string) =>
  new Option('--out <dir>', about).argParser((dir) => {
    if (dir !== '-') return dir;
    throw new InvalidArgumentError('Name a folder: there can be several files, so they are not printed.');
  });

/** Adds `--archive DIR` and `--no-archive`, which exclude each other. */
export function withArchive(command: Command, about: string, without: string): Command {
  const given = new Set<string>();
  const only = (name: string) => () => {
    if (given.add(name).size === 1) return;
    throw new KairosError('USAGE', '--archive and --no-archive exclude each other', {
      hint: 'Leave one of them out.',
    });
  };
  return command
    .option('--archive <dir>', about)
    .option('--no-archive', without)
    .on('option:archive', only('archive'))
    .on('option:no-archive', only('no-archive'));
}

export const solutionOption = () =>
  new Option('--solution <solution>', 'solution of the challenge as JSON, @FILE, or - for standard input');

export const runOption = () =>
  new Option(
    '--run <id>',
    'id of the run, a unique beginning of it, or latest (default: the run that showed the nonce)',
  );

/** Gathers the values of an option that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Gathers digests: 64 hex characters each. A prefix never gives trust. */
export function collectDigests(value: string, before: string[] | undefined): string[] {
  if (/^[0-9a-f]{64}$/i.test(value)) return collect(value.toLowerCase(), before);
  throw new InvalidArgumentError(`${JSON.stringify(value)} is not a digest (64 hex characters).`);
}

/** Parses an option as a whole number within bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** Parses an option as a decimal number within bounds. */
export function decimalNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
  };
}

/** The run moves to this machine and directory. */
export const hereOption = () =>
  new Option(
    '--here',
    'move the run to this machine, and to the current directory unless --workdir names another',
  );

/** The policy for proposals, when it isn't the one in the user's configuration folder. */
export const policyOption = () =>
  new Option(
    '--policy <file>',
    'judge proposals by this policy, never by one of the project; an existing run adopts it',
  );
