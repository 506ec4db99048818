import { PassThrough } from 'node:stream';
import { Command, CommanderError, Option } from 'commander';
import { programName, setProgram } from '../base/command-line.ts';
import { KairosError, suggest } from '../base/errors.ts';
import { VERSION } from '../base/package-root.ts';
import type { Bind, CommonOptions, Definition } from './command.ts';
import { reportError } from './errors.ts';
import { helpEnd } from './help-examples.ts';
import { type CliIo, EXIT } from './io.ts';
import { createOutput } from './output.ts';

/** Parses the arguments, runs the one of the commands that they name, and turns every end into an exit code. */
export async function runProgram(
  definitions: readonly Definition[],
  argv: readonly string[],
  io: CliIo,
): Promise<number> {
  setProgram(io.calledAs);
  let output = createOutput(io, { json: hasFlag(argv, '--json'), color: 'auto' });
  const debug = hasFlag(argv, '--debug');
  let code: number = EXIT.ok;
  try {
    const bind: Bind = (command, load) =>
      command.action(async () => {
        const options = command.optsWithGlobals<CommonOptions>();
        output = createOutput(io, { json: options.json === true, color: options.color });
        refuseEmptyPaths(command);
        const handler = await load();
        code = await handler({ args: command.processedArgs as never, options: options as never, io, output });
      });
    // Without a command kairos prints the help, and fails so that a script notices.
    if (argv.length === 0) code = EXIT.usage;
    const program = buildProgram(definitions, io, bind);
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (!isShown(error)) code = await reportError(error, output, debug);
  }
  return output.flush().then(
    () => code,
    (error: unknown) => reportError(error, output, debug),
  );
}

/** The options that a command would be called with: reads the arguments as `runProgram` does, and runs nothing. Throws USAGE. */
export function parseOnly<Options>(
  definition: Definition,
  argv: readonly string[],
  io: CliIo,
): Options & CommonOptions {
  let options: CommonOptions | null = null;
  const bind: Bind = (command) =>
    command.action(() => {
      refuseEmptyPaths(command);
      options = command.optsWithGlobals<CommonOptions>();
    });
  const program = buildProgram([definition], { ...io, stdout: new PassThrough() }, bind);
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!isShown(error)) throw error;
    throw new KairosError('USAGE', 'help and version are only shown, and start nothing', {
      hint: 'Leave --help and --version out.',
      cause: error,
    });
  }
  return options as unknown as Options & CommonOptions;
}

/** The commands with their help, groups and options. */
export function buildProgram(definitions: readonly Definition[], io: CliIo, bind: Bind): Command {
  const program = new Command(programName())
    .description('Procedures that people and agents really follow, and can prove that they followed.')
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .option('--store <location>', 'where protocols and runs are kept (KAIROS_STORE)')
    .option('--space <name>', 'the space to work in (KAIROS_SPACE; default: default)')
    .option('--json', 'print objects for programs, one in a line')
    .addOption(
      new Option('--color <when>', 'whether to colour').choices(['auto', 'always', 'never']).default('auto'),
    )
    .option('--debug', 'show where an error came from')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => undefined,
      // The caller prints the error in the format of kairos.
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
    });
  for (const definition of definitions) program.addCommand(definition(bind));
  settle(program);
  return program;
}

const HELP_WIDTH = 100;

/** Gives a command, and those below it, the settings of the program, and makes its complaints usage errors. */
function settle(command: Command): void {
  command.exitOverride((error) => {
    throw isShown(error) ? error : usageError(error, command);
  });
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    child.addHelpText('after', () => helpEnd(wordsOf(child).join(' ')));
    settle(child);
  }
}

function hasFlag(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes(flag);
}

/** Arguments whose text may be empty, or whose command reports an empty one itself. */
const TEXTS = new Set(['words', 'message', 'query', 'value', 'options']);
const TAKES_PATH = /<(?:file|dir|path)\b/;
const TAKES_NAME = /<(?:protocol|slug|name|digest)>/;
/** Arguments that may be a path. */
const PATHS = new Set(['path', 'file', 'target', 'protocol', 'record', 'record-or-protocol']);

/**
 * Refuses an empty text where a path or a name is due: a shell makes one of a variable that is not set, and it would stand for
 * the working directory. Throws USAGE.
 */
function refuseEmptyPaths(command: Command): void {
  for (const [at, argument] of command.registeredArguments.entries()) {
    if (TEXTS.has(argument.name()) || !isEmpty(command.processedArgs[at])) continue;
    throw empty(`the ${argument.name()} is empty`, PATHS.has(argument.name()));
  }
  for (const option of command.options) {
    const isPath = TAKES_PATH.test(option.flags);
    if ((isPath || TAKES_NAME.test(option.flags)) && isEmpty(command.getOptionValue(option.attributeName())))
      throw empty(`the value of ${option.long} is empty`, isPath);
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.includes('') : value === '';
}

function empty(message: string, isPath: boolean): KairosError {
  return new KairosError('USAGE', message, {
    hint: `Is a variable not set?${isPath ? ' This folder is written as a dot.' : ''}`,
  });
}

/** Help or version was asked for and has been shown. */
function isShown(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

/** A complaint of the argument parser as a USAGE error: what is wrong, what was meant, how the command is called. */
function usageError(error: CommanderError, command: Command): KairosError {
  const [message, guess] = split(error.message);
  const usage = `${fullName(command)} ${command.usage()}`.trim();
  const unknown = unknownCommand(error, command);
  if (unknown !== null) return unknown;
  if (error.code === 'commander.help') {
    return new KairosError('USAGE', `${fullName(command)} needs a command`, {
      hint: `List the commands with: ${fullName(command)} --help`,
    });
  }
  return new KairosError('USAGE', message, {
    hint: `${guess === null ? '' : `${guess} `}Usage: ${usage}\nMore: ${fullName(command)} --help`,
    cause: error,
  });
}

/**
 * An unknown word after `help`, or after a group such as `runs` that has a default command. Null for every other
 * complaint.
 */
function unknownCommand(error: CommanderError, command: Command): KairosError | null {
  const [first, second] = command.args;
  const { parent } = command;
  if (error.code === 'commander.help' && first === 'help' && second !== undefined)
    return unknownWord(command, second, error);
  const isDefault = parent?.parent != null && parent.args[0] !== command.name();
  return error.code === 'commander.excessArguments' && isDefault && first !== undefined
    ? unknownWord(parent, first, error)
    : null;
}

function unknownWord(group: Command, word: string, cause: CommanderError): KairosError {
  const guess = suggest(
    word,
    group.commands.map((each) => each.name()),
  );
  return new KairosError('USAGE', `${fullName(group)} has no command ${JSON.stringify(word)}`, {
    hint: `${guess === undefined ? '' : `Did you mean ${guess}? `}List the commands with: ${fullName(group)} --help`,
    cause,
  });
}

/** `kairos runs show`. */
function fullName(command: Command): string {
  return [programName(), ...wordsOf(command)].join(' ');
}

/** The words of a command: `runs`, `show`. */
function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

const FORM = /^(?:error: )?([\s\S]*?)(?:\n\(([^\n]*)\))?$/;

/** The parser writes `error: unknown option '--forse'`, and in a second line its guess in brackets. */
function split(text: string): [message: string, guess: string | null] {
  const [, message = text, guess = null] = FORM.exec(text) ?? [];
  return [message, guess];
}
