import type { Command } from 'commander';
import type { CliIo } from './io.ts';
import type { Output } from './output.ts';
import type { ColorFlag } from './terminal/color.ts';

/** Options that every command takes. */
export interface CommonOptions {
  store?: string;
  space?: string;
  json?: boolean;
  /** `--policy`, where a command takes it. */
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

/** Does what the command says and answers the exit code; errors are thrown. */
export type Handler<Args extends unknown[], Options> = (call: Call<Args, Options>) => Promise<number>;

/** Ties a command's names and options to the handler, which is loaded when it is called. */
export type Bind = <Args extends unknown[], Options>(
  command: Command,
  load: () => Promise<Handler<Args, Options>>,
) => Command;

/** A command's names, arguments, options and help: all that has to be known to start. */
export type Definition = (bind: Bind) => Command;
