import type { Word } from 'unbash';
import { globs } from '../base/command-line.ts';
import { baseName, isUnknown, parseScript, SHELLS, type SimpleCommand } from './commands.ts';
import { gitArguments, hasValued } from './nested.ts';

/** A command as a hold names it: `git push`, `npm publish --tag *`. */
export interface CommandPattern {
  text: string;
  name: string;
  /** Words that must follow in this order; options and their values may be between them. */
  words: readonly string[];
  /** Options that must be present anywhere. */
  options: readonly string[];
  /** Words directly behind an option, which may be its value: they can be with it before the words. */
  values: readonly { option: string; value: string }[];
}

/** Reads a pattern: one simple command without expansions. `*` in a word is any text. Null when it isn't one. */
export function readCommandPattern(text: string): CommandPattern | null {
  const { errors, tree, commands } = parseScript(text);
  const [statement] = tree.commands;
  const [command] = commands;
  if (errors.length > 0 || tree.commands.length !== 1 || statement?.command.type !== 'Command') return null;
  if (commands.length !== 1 || command === undefined || statement.background === true) return null;
  const args = splitOptions(command.args);
  const name = command.name === null ? null : plainName(command.name);
  if (name === null || [name, ...args].some((word) => /[$`?[\]{}]/.test(word))) return null;
  const isOption = (word: string) => word.startsWith('-');
  const words = args.filter((word) => !isOption(word)).map((word) => verbOf(name, word));
  const options = args.filter(isOption);
  const values = options.flatMap((option) => {
    const value = args[args.indexOf(option) + 1];
    return value === undefined || isOption(value) || !option.startsWith('--') ? [] : [{ option, value }];
  });
  // `sh deploy.sh` is also `./deploy.sh` and `bash deploy.sh`.
  const [script, ...others] = words;
  if (SHELLS.has(baseName(name)) && options.length === 0 && script !== undefined)
    return { text, name: baseName(script), words: others, options, values };
  return { text, name, words, options, values };
}

const bareWords = ({ words, values }: CommandPattern) =>
  words.filter((word) => !values.some(({ value }) => value === word));

const hasValues = (args: readonly string[], { values }: CommandPattern) =>
  values.every(({ option, value }) =>
    args.some((arg, at) => isOption(arg, option) && globs(value, args[at + 1] ?? '')),
  );

/** npm has more names for one of its commands. */
function verbOf(program: string, word: string): string {
  return program === 'npm' && /^(?:run-script|rum|urn)$/.test(word) ? 'run' : word;
}

/**
 * Whether a name in an argument is the pattern's program, or a program of the form `git-push`. That one counts with its folder, or as
 * the first word: elsewhere, it is the name of a branch or a test.
 */
export function isProgram(
  name: string,
  { name: program, words }: CommandPattern,
  isStarted: boolean,
): boolean {
  return (
    isSameName(program, name) || (isStarted && words.length > 0 && isSameName(`${program}-${words[0]}`, name))
  );
}

/** Programs that only print help for `push --help`. */
const HELPERS =
  /^(?:git|npm|pnpm|yarn|terraform|tofu|kubectl|helm|docker|podman|gh|cargo|gem|psql|createdb|dropdb|pg_\w+|mysql\w*|mongosh|redis-cli|aws|gcloud|az|pulumi|rsync|ansible\S*)$/;

/** Whether a command that a pattern names for certain only prints help: it has the pattern's words and the option alone. */
export function printsHelp({ name, args }: SimpleCommand, { words }: CommandPattern): boolean {
  const help = words.length === 0 ? /^--(?:help|version)$/ : /^t/.test(name ?? '') ? /^--?help$/ : /^--help$/;
  if (!HELPERS.test(name ?? '') || !help.test(args.at(-1) ?? '')) return false;
  return args.length === words.length + 1 && words.every((word, at) => args[at] === word);
}

/** Systems that ignore the case of file names, or add a suffix, start the same program for `GIT` and `git.exe`. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/(?:\.(?:exe|cmd|bat|com)|-cli\.[cm]?js)$/, '');
}

export function isSameName(program: string, name: string): boolean {
  return globs(program.toLowerCase(), plainName(name));
}

/** Whether a command may be the pattern's own. */
export function isNamed(command: SimpleCommand, pattern: CommandPattern): 'same' | 'possible' | null {
  const isOpen = command.name === null || isUnknown(command.name);
  const [first, ...others] = pattern.words;
  if (first !== undefined && command.name !== null && isSameName(`${pattern.name}-${first}`, command.name))
    return isNamed(command, { ...pattern, name: command.name, words: others });
  if (!isOpen && !isSameName(pattern.name, command.name!)) return null;
  // Alone, an unknown name proves nothing.
  if (isOpen && command.args.length === 0) return null;
  // A pattern may name one of these options: `kubectl -n prod delete`.
  const isStripped = pattern.name === 'git' || (hasValued(pattern.name) && pattern.options.length === 0);
  const given = splitOptions(isStripped ? gitArguments(command, pattern.name) : command.args);
  const args = given.map((arg) => verbOf(pattern.name, arg));
  const appended = command.wrappers.includes('xargs');
  const fits = (words: readonly string[]) => follows(args, words, appended, SHORTENS.has(pattern.name));
  if (
    !fits(pattern.words) &&
    !(pattern.values.length > 0 && fits(bareWords(pattern)) && hasValues(args, pattern))
  )
    return null;
  const hasOption = (option: string) => args.some((arg) => isOption(arg, option));
  // `-fr` and `-f -r` are `-rf`.
  const hasBundle = (option: string) =>
    /^-[A-Za-z]{2,}$/.test(option) && [...option.slice(1)].every((letter) => hasOption(`-${letter}`));
  if (!pattern.options.every((option) => appended || hasOption(option) || hasBundle(option))) return null;
  return isOpen || appended || args.some(isUnknown) ? 'possible' : 'same';
}

/** Programs that accept the beginning of a subcommand: `npm pub` publishes. */
const SHORTENS = new Set(['npm', 'gem', 'hg', 'svn']);

/** `--tag=latest` is an option and its value. */
export function splitOptions(args: readonly string[]): string[] {
  return args.flatMap((arg) => {
    const at = arg.indexOf('=');
    return arg.startsWith('--') && at > 0 ? [arg.slice(0, at), arg.slice(at + 1)] : [arg];
  });
}

function isOption(arg: string, option: string): boolean {
  if (globs(option, arg) || isUnknown(arg)) return true;
  // Many programs accept the beginning of a long option.
  if (/^--\w{2}/.test(arg) && option.startsWith(arg)) return true;
  // `-auto-approve` is `--auto-approve` for programs that know both.
  const long = (text: string) => text.replace(/^-(?=\w{2})/, '--');
  if (option.startsWith('-') && globs(long(option), long(arg))) return true;
  // `-f` in `-uf`.
  return /^-[A-Za-z]$/.test(option) && /^-[A-Za-z]+$/.test(arg) && arg.includes(option.charAt(1));
}

/** Whether the words begin the arguments, in order. Between them only options are allowed, each with one value at most. */
export function follows(
  args: readonly string[],
  words: readonly string[],
  appended: boolean,
  isShort = false,
): boolean {
  // The numbers of words that can have been found before the next argument; `value`: after an option.
  let states = new Set<string>(['0']);
  for (const arg of args) {
    const next = new Set<string>();
    for (const state of states) {
      const [count, isValue] = [Number.parseInt(state, 10), state.endsWith('v')];
      const word = words[count];
      if (word === undefined) return true;
      if (arg === '--') next.add(String(count));
      else if (arg.startsWith('-')) next.add(`${count}v`);
      else if (isValue) next.add(String(count));
      if (isUnknown(arg)) next.add(String(count));
      if (globs(word, arg) || isUnknown(arg) || (isShort && arg.length > 1 && word.startsWith(arg)))
        next.add(String(count + 1));
    }
    if (next.size === 0) return false;
    states = next;
  }
  if (appended && states.size > 0) return true;
  return states.has(String(words.length)) || states.has(`${words.length}v`);
}

/**
 * Whether a script can contain the command of a pattern at all. Much faster than to look for it: false if the script has no word that
 * the shell replaces, and the name of the program isn't in it.
 */
export function mayContain(script: string, pattern: string): boolean {
  const [name = '*'] = /^[\w.*-]+(?=\s|$)/.exec(pattern) ?? [];
  const literal = (SHELLS.has(name) ? '' : plainName(name))
    .split('*')
    .reduce((longest, part) => (part.length > longest.length ? part : longest));
  const plain = script.replace(/\\\n|['"\\]/g, '').toLowerCase();
  return isUnknown(script) || plain.includes(literal);
}

/** What a command is, without its spacing, quoting and comments: equal for two scripts that do the same by their syntax. */
function signature(script: string): string | null {
  const { errors, tree } = parseScript(script);
  if (errors.length > 0) return null;
  return JSON.stringify(tree, (key, value) => {
    if (PLACES.has(key)) return undefined;
    return value?.type === 'Word' ? { word: wordSignature(value) } : value;
  });
}

/** A word that the shell doesn't change is its value, any other one its source. */
function wordSignature({ text, value, parts = [] }: Word): string {
  const isPlain = parts.every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal')),
  );
  return isPlain && !isUnknown(value) ? `=${value}` : text;
}

const PLACES = new Set(['pos', 'end', 'source', 'text', 'errors']);

/** Whether two scripts are the same command. `cd DIR &&` before one of them is a folder, not a part of the command. */
export function sameCommand(a: string, b: string): boolean {
  if (a.trim() === b.trim()) return true;
  const [first, second] = [signature(a), signature(b)];
  return first !== null && first === second;
}

/** The command behind `cd DIR &&`, and the folder; the folder is null without one. */
export function splitFolder(script: string): { folder: string | null; command: string } {
  const { tree, errors } = parseScript(script);
  const [only] = tree.commands;
  const whole = { folder: null, command: script };
  if (errors.length > 0 || tree.commands.length !== 1 || only?.command.type !== 'AndOr') return whole;
  const { commands, operators } = only.command;
  const [head, next] = commands;
  if (operators[0] !== '&&' || head?.type !== 'Command' || next === undefined) return whole;
  const [folder] = head.suffix;
  if (head.name?.value !== 'cd' || head.suffix.length !== 1 || head.redirects.length > 0) return whole;
  if (folder?.type !== 'Word' || isUnknown(folder.value) || /^[~-]/.test(folder.value)) return whole;
  return { folder: folder.value, command: script.slice(next.pos, only.end) };
}

/** A word without anything that the shell replaces. */
const PLAIN_WORD = /^(?:[\w@%+=:,./-]|'[^']*'|\\'|"[^"$`\\!]*")*$/;

/** The values that a script exports first, and the rest of it: `export A=x; cmd`. Without plain values it is unchanged. */
function splitValues(script: string): { values: Record<string, string>; command: string } {
  const whole = { values: {}, command: script };
  const { tree, errors } = parseScript(script);
  const [first, second] = tree.commands;
  if (errors.length > 0 || first === undefined || first.background === true) return whole;
  const { command } = first;
  const isList = command.type === 'AndOr' && command.operators[0] === '&&';
  const [head, rest] = isList ? command.commands : [command, second];
  if (head?.type !== 'Command' || rest === undefined || head.name?.value !== 'export') return whole;
  if (head.prefix.length > 0 || head.redirects.length > 0 || head.suffix.length === 0) return whole;
  const values: Record<string, string> = {};
  for (const part of head.suffix) {
    if (part.type !== 'Assignment' || part.append === true || part.value.type !== 'Word') return whole;
    if (!PLAIN_WORD.test(part.value.text)) return whole;
    values[part.name] = part.value.value;
  }
  const after = splitValues(script.slice(rest.pos));
  return { values: { ...values, ...after.values }, command: after.command };
}

/** A command with what is set before it. */
interface CommandReading {
  command: string;
  folder: string;
  values: Readonly<Record<string, string>>;
}

/** How a script can be read: unchanged, and as its last command with the folder (`cd x &&`) and values (`export A=x;`) before it. */
export function readings(
  command: string,
  folder: string,
  values: CommandReading['values'] = {},
): CommandReading[] {
  const [moved, set] = [splitFolder(command), splitValues(command)];
  const here = { command, folder, values };
  if (moved.folder !== null)
    return [here, ...readings(moved.command, resolveFolder(folder, moved.folder), values)];
  if (set.command === command) return [here];
  return [here, ...readings(set.command, folder, { ...values, ...set.values })];
}

/** Joins two paths without a file system: `/a/b` and `../c` are `/a/c`. */
function resolveFolder(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
