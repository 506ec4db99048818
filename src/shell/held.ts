import type { Word } from 'unbash';
import {
  baseName,
  isUnknown,
  mentions,
  type ParsedScript,
  parseScript,
  SHELLS,
  type SimpleCommand,
  WRAPPERS,
} from './commands.ts';
import {
  aliases,
  CODE_RUNNERS,
  innerArguments,
  innerCommands,
  innerTexts,
  mayRun,
  prefixValues,
  renamedWords,
  spells,
  TEXT_READERS,
  writtenFiles,
} from './nested.ts';

/** A command as a hold names it: `git push`, `npm publish --tag *`. */
export interface CommandPattern {
  text: string;
  name: string;
  /** Words that must follow in this order; options and their values may be between them. */
  words: readonly string[];
  /** Options that must be present anywhere. */
  options: readonly string[];
}

/** Reads a pattern: one simple command without expansions. `*` in a word is any text. Null when it isn't one. */
export function readCommandPattern(text: string): CommandPattern | null {
  const { errors, tree, commands } = parseScript(text);
  const [statement] = tree.commands;
  const [command] = commands;
  if (errors.length > 0 || tree.commands.length !== 1 || statement?.command.type !== 'Command') return null;
  if (commands.length !== 1 || command === undefined || statement.background === true) return null;
  const { name } = command;
  const args = splitOptions(command.args);
  if (name === null || [name, ...args].some((word) => /[$`?[\]{}]/.test(word))) return null;
  const isOption = (word: string) => word.startsWith('-');
  return { text, name, words: args.filter((word) => !isOption(word)), options: args.filter(isOption) };
}

/** Why a script counts as running a command. `possible`: parts of it are only known when it runs. */
export interface HeldCommand {
  certainty: 'same' | 'possible';
  /** The part of the script, unchanged from its source. */
  text: string;
}

/**
 * The command of a script that a pattern names, in a list, a pipe, a substitution, a function, an alias, behind a
 * wrapper or in the text for another shell. Null if there is no such command. What a script hides (a variable for the name, text
 * for another interpreter, a script that doesn't parse) counts when the script names the pattern's program.
 */
export function findHeld(script: string, pattern: CommandPattern): HeldCommand | null {
  return search(parseScript(script), pattern, 0);
}

const MAX_DEPTH = 8;

/** `isProse`: a text that may not be a command. Then only what is certainly one counts. */
function search(
  parsed: ParsedScript,
  pattern: CommandPattern,
  depth: number,
  isProse = false,
): HeldCommand | null {
  if (parsed.errors.length > 0 && spells(parsed.text, pattern.name))
    return isProse ? null : possible(parsed.text);
  let maybe: HeldCommand | null = null;
  for (const command of parsed.commands) {
    const found = searchCommand(command, parsed, pattern, depth, isProse);
    if (found?.certainty === 'same') return found;
    maybe ??= found;
  }
  if (maybe !== null) return maybe;
  if (depth > MAX_DEPTH) return null;
  const scripts = [parsed, ...parsed.inner.map(({ script }) => script)];
  for (const text of [...scripts.flatMap(aliases), ...scripts.flatMap(prefixValues)]) {
    const found = search(parseScript(text), pattern, depth + 1);
    if (found !== null) return { ...found, text: parsed.text };
  }
  return !isProse && (renames(parsed, pattern) || setsFile(parsed, pattern)) ? possible(parsed.text) : null;
}

/** Whether a variable is a file with the pattern's words: `BASH_ENV=<(echo git push)`. */
function setsFile({ text }: ParsedScript, { name, words }: CommandPattern): boolean {
  return /\w=<\(/.test(text) && [name, ...words].every((word) => spells(text, word));
}

function searchCommand(
  command: SimpleCommand,
  parsed: ParsedScript,
  pattern: CommandPattern,
  depth: number,
  isProse: boolean,
): HeldCommand | null {
  const text = parsed.text.slice(command.pos, command.end);
  if (depth > MAX_DEPTH) return spells(parsed.text, pattern.name) ? possible(text) : null;
  const certainty = isNamed(command, pattern);
  const isOpen = command.name === null || isUnknown(command.name);
  // Code of other languages has many such words: `awk '{print $1}'`.
  if (certainty !== null && !(isProse && isOpen)) return { certainty, text };
  const isWhole = !isProse && command.name !== null && isOpen && command.args.length === 0;
  if (isWhole && spells(parsed.text, pattern.name)) return possible(text);
  const runs = !isProse && mayRun(command);
  const inner = runs ? innerCommands(command, (name) => isProgram(name, pattern)) : [];
  if (inner.some((each) => isNamed(each, pattern) !== null)) return possible(text);
  for (const script of [command, ...inner].flatMap(innerTexts)) {
    if (isUnknown(script) && spells(parsed.text, pattern.name)) return possible(text);
    const found = search(parseScript(script), pattern, depth + 1);
    if (found !== null) return { ...found, text };
  }
  for (const script of runs ? innerArguments(command) : [])
    if (search(parseScript(script), pattern, depth + 1, true) !== null) return possible(text);
  return hidesCommand(command, parsed, pattern) ? possible(text) : null;
}

/** Whether a script gives the pattern's program another name, and runs something with the pattern's words. */
function renames(parsed: ParsedScript, { name, words, options }: CommandPattern): boolean {
  if (words.length + options.length === 0) return false;
  const hasWords = ({ args }: SimpleCommand) => args.length > 0 && follows(splitOptions(args), words, false);
  return renamedWords(parsed).some((source) => mentions(source, name)) && parsed.commands.some(hasWords);
}

/** Whether a name is the pattern's program, or a program of the form `git-push`. */
function isProgram(name: string, { name: program, words }: CommandPattern): boolean {
  return isSameName(program, name) || (words.length > 0 && isSameName(`${program}-${words[0]}`, name));
}

/** Systems that ignore the case of file names, or add a suffix, start the same program for `GIT` and `git.exe`. */
function isSameName(program: string, name: string): boolean {
  return globs(program.toLowerCase(), name.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, ''));
}

function possible(text: string): HeldCommand {
  return { certainty: 'possible', text };
}

/** Whether a command may be the pattern's own. */
function isNamed(command: SimpleCommand, pattern: CommandPattern): HeldCommand['certainty'] | null {
  const isOpen = command.name === null || isUnknown(command.name);
  const [first, ...others] = pattern.words;
  if (first !== undefined && command.name !== null && isSameName(`${pattern.name}-${first}`, command.name))
    return isNamed(command, { ...pattern, name: command.name, words: others });
  if (!isOpen && !isSameName(pattern.name, command.name!)) return null;
  // Alone, an unknown name proves nothing.
  if (isOpen && command.args.length === 0) return null;
  const args = splitOptions(command.args);
  const appended = command.wrappers.includes('xargs');
  const hasOptions = pattern.options.every((option) => appended || args.some((arg) => isOption(arg, option)));
  if (!hasOptions || !follows(args, pattern.words, appended, SHORTENS.has(pattern.name))) return null;
  return isOpen || appended || args.some(isUnknown) ? 'possible' : 'same';
}

/** Programs that accept the beginning of a subcommand: `npm pub` publishes. */
const SHORTENS = new Set(['npm', 'gem', 'hg', 'svn']);

/** `--tag=latest` is an option and its value. */
function splitOptions(args: readonly string[]): string[] {
  return args.flatMap((arg) => {
    const at = arg.indexOf('=');
    return arg.startsWith('--') && at > 0 ? [arg.slice(0, at), arg.slice(at + 1)] : [arg];
  });
}

function isOption(arg: string, option: string): boolean {
  if (globs(option, arg) || isUnknown(arg)) return true;
  // `-f` in `-uf`.
  return /^-[A-Za-z]$/.test(option) && /^-[A-Za-z]+$/.test(arg) && arg.includes(option.charAt(1));
}

/** Whether the words begin the arguments, in order. Between them only options are allowed, each with one value at most. */
function follows(
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
    states = next;
  }
  if (appended && states.size > 0) return true;
  return states.has(String(words.length)) || states.has(`${words.length}v`);
}

/** Whether a text fits a pattern in which `*` is any text. */
export function globs(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(first)) return false;
  const last = rest.pop()!;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether a command runs text that this reader can't parse. */
function hidesCommand(
  { name, args, fed, input, wrappers }: SimpleCommand,
  parsed: ParsedScript,
  pattern: CommandPattern,
): boolean {
  if (name === null) return false;
  const { text } = parsed;
  const words = [pattern.name, ...pattern.words];
  const hasWords = (part: string) => words.every((word) => spells(part, word));
  const isSource = name === '.' || name === 'source';
  if (isSource || SHELLS.has(name)) {
    // Text from a pipe, a here-document or a file.
    const isInline = !isSource && args.some((arg) => /^-[A-Za-z]*c/.test(arg));
    const isGiven = args.some((arg) => /^(?:<\(|\/dev\/)/.test(arg) || (isSource && isUnknown(arg)));
    if (isGiven || (fed && input === null && !isInline) || wrappers.includes('xargs'))
      return spells(text, pattern.name);
  }
  if (name in WRAPPERS && wrappers.includes('xargs')) return spells(text, pattern.name);
  // A file that the script writes first.
  const files = isSource || SHELLS.has(name) ? args.map(baseName) : [name];
  if (hasWords(text) && writtenFiles(parsed).some((file) => files.includes(file))) return true;
  if (TEXT_READERS.test(name) && (fed || args.some((arg) => arg.startsWith('<(')))) return hasWords(text);
  // `sed '1e git push'`, `sed 's/x/git push/e'`.
  if (name === 'sed') return args.some((arg) => /(?:^|[\d$;{}/])\s*\d*e(?:\s|$)/.test(arg) && hasWords(arg));
  if (!CODE_RUNNERS.test(name)) return false;
  return (fed ? [text] : args.filter((arg) => /[\s('"]/.test(arg))).some(hasWords);
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
