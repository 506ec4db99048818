import type { Argument, Command, Option } from 'commander';

/** One possible completion. */
export interface Item {
  value: string;
  description: string;
}

/** The completions, and whether the shell may also offer files. */
export interface Completions {
  items: Item[];
  files: boolean;
}

/** Names from the store, looked up on request. */
export interface Names {
  slugs(): Promise<Item[]>;
  uris(): Promise<Item[]>;
  /** `openOnly`: without sealed ones. */
  runs(openOnly: boolean): Promise<Item[]>;
  spaces(): Promise<Item[]>;
}

const NOTHING: Completions = { items: [], files: false };
const FILES: Completions = { items: [], files: true };

/**
 * The completions of the last word, which may be empty or incomplete: commands, options, their values, slugs,
 * URIs and run ids.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  names: Names,
): Promise<Completions> {
  const current = words.at(-1) ?? '';
  const { command, operands, pending, isOperandOnly } = read(program, words.slice(0, -1));
  if (pending !== null) return matching(await valuesOf(pending, names), current);
  if (!isOperandOnly && current.startsWith('-')) {
    const [flag = '', value] = current.split(/=(.*)/s);
    const option = value === undefined ? undefined : findOption(command, flag);
    if (option === undefined) return matching({ items: optionItems(command), files: false }, current);
    return prefixed(matching(await valuesOf(option, names), value ?? ''), `${flag}=`);
  }
  const subcommands = operands === 0 ? commandItems(command) : [];
  const argument = argumentAt(command, operands);
  const rest = argument === undefined ? NOTHING : await operandOf(command, argument, names);
  return matching({ items: [...subcommands, ...rest.items], files: rest.files }, current);
}

/** What the words before the current one determine. */
interface Position {
  command: Command;
  /** Operands of the command that have been given. */
  operands: number;
  /** An option that still needs its value. */
  pending: Option | null;
  /** After `--` nothing is an option. */
  isOperandOnly: boolean;
}

function read(program: Command, words: readonly string[]): Position {
  const position: Position = { command: program, operands: 0, pending: null, isOperandOnly: false };
  for (const word of words) {
    if (position.pending !== null) position.pending = null;
    else if (position.isOperandOnly || !word.startsWith('-') || word === '-') enter(position, word);
    else if (word === '--') position.isOperandOnly = true;
    else if (!word.includes('=')) {
      const option = findOption(position.command, word);
      if (option?.required) position.pending = option;
    }
  }
  return position;
}

function enter(position: Position, word: string): void {
  const child =
    position.operands === 0 ? position.command.commands.find((each) => each.name() === word) : undefined;
  if (child === undefined) position.operands += 1;
  else position.command = child;
}

/** The command's own options, then those of the commands above it. */
function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp();
  const above =
    command.parent === null ? [] : optionsOf(command.parent).filter(({ long }) => long !== '--version');
  const own = help.visibleOptions(command);
  return [...own, ...above.filter(({ long }) => !own.some((option) => option.long === long))];
}

function findOption(command: Command, flag: string): Option | undefined {
  return optionsOf(command).find(({ long, short }) => long === flag || short === flag);
}

function optionItems(command: Command): Item[] {
  return optionsOf(command).flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

function commandItems(command: Command): Item[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), description: child.summary() || child.description() }));
}

async function valuesOf(option: Option, names: Names): Promise<Completions> {
  if (option.argChoices !== undefined) return fixed(option.argChoices);
  switch (option.long) {
    case '--run':
    case '--resume':
      return { items: await names.runs(true), files: false };
    case '--space':
      return { items: await names.spaces(), files: false };
    default:
      return FILES;
  }
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic ? last : undefined);
}

/** Commands that need an open run. */
const ON_OPEN_RUNS: ReadonlySet<string> = new Set(['resume', 'answer', 'close']);

async function operandOf(command: Command, argument: Argument, names: Names): Promise<Completions> {
  if (argument.argChoices !== undefined) return fixed(argument.argChoices);
  switch (argument.name()) {
    case 'target':
      return { items: await names.slugs(), files: true };
    case 'uri':
      return { items: await names.uris(), files: false };
    case 'protocol':
      return { items: await names.slugs(), files: true };
    case 'run':
      return { items: await names.runs(ON_OPEN_RUNS.has(command.name())), files: false };
    case 'record':
      return { items: await names.runs(false), files: true };
    case 'path':
    case 'file':
      return FILES;
    default:
      return NOTHING;
  }
}

function fixed(values: readonly string[]): Completions {
  return { items: values.map((value) => ({ value, description: '' })), files: false };
}

function matching({ items, files }: Completions, start: string): Completions {
  return { items: items.filter(({ value }) => value.startsWith(start)), files };
}

function prefixed({ items, files }: Completions, prefix: string): Completions {
  return { items: items.map((item) => ({ ...item, value: prefix + item.value })), files };
}
