import { asksForHelp, passedArguments, startsShell } from './builders.ts';
import {
  baseName,
  isUnknown,
  type ParsedScript,
  parseScript,
  SHELLS,
  type SimpleCommand,
  WRAPPERS,
} from './commands.ts';
import { hidesAlias, renames } from './hidden.ts';
import { aliases, isClosed, isOutside, writtenFiles } from './listings.ts';
import {
  CODE_RUNNERS,
  gitAlias,
  innerArguments,
  innerCommands,
  innerTexts,
  mayRun,
  onlyNames,
  readsCommands,
  spells,
} from './nested.ts';
import { type CommandPattern, isNamed, isProgram, printsHelp } from './same-command.ts';
import { readsOnly } from './started.ts';
import { variablesIn } from './variables.ts';

/** Why a script counts as running a command. `possible`: parts of it are only known when it runs. */
export interface HeldCommand {
  certainty: 'same' | 'possible';
  /** The part of the script, unchanged from its source. */
  text: string;
}

/**
 * The command of a script that a pattern names, in a list, a pipe, a substitution, a function, an alias, behind a
 * wrapper or in the text for another shell. Null if there is no such command. What a script hides (a variable for the name, text
 * for another interpreter, a script that doesn't parse) counts when the script names the pattern's program. `isRead`: the scripts of
 * its calls of npm are looked at too, with their arguments.
 */
export function findHeld(
  script: string,
  pattern: CommandPattern,
  isLate: () => boolean = () => false,
  isRead = false,
): HeldCommand | null {
  try {
    if (isParsable(script))
      return search(
        parseScript(script),
        { ...pattern, isLate, isRead, isSpelled: spells(script, pattern.name) },
        0,
      );
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
  }
  return spells(script, pattern.name) ? possible(script) : null;
}

/** A longer script, in UTF-16 units, isn't parsed, and none with more here-documents. */
const MAX_SCRIPT = 512 * 1024;
const MAX_HERE_DOCUMENTS = 2000;

/** Whether a script can be parsed in a short time. Most systems accept no longer command. */
export function isParsable(script: string): boolean {
  return script.length <= MAX_SCRIPT && script.split('<<').length <= MAX_HERE_DOCUMENTS;
}

const MAX_DEPTH = 8;

/** What is looked for. `isLate`: whether the search has worked too long, and ends. */
interface Sought extends CommandPattern {
  isLate(): boolean;
  isRead: boolean;
  /** Whether the whole script has the name of the program. */
  isSpelled: boolean;
}

class TooMuch extends Error {}

/** `isProse`: a text that may not be a command. Then only what is certainly one counts. */
function search(parsed: ParsedScript, pattern: Sought, depth: number, isProse = false): HeldCommand | null {
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
  for (const text of [
    ...scripts.flatMap(aliases),
    ...scripts.flatMap((each) => prefixValues(each, pattern)),
  ]) {
    const found = search(parseScript(text), pattern, depth + 1);
    if (found !== null) return { ...found, text: parsed.text };
  }
  const hides = [renames, setsFile, hidesAlias].some((may) => may(parsed, pattern));
  return hides && !isProse ? possible(parsed.text) : null;
}

/** Whether a variable is a file with the pattern's words: `BASH_ENV=<(echo git push)`. */
function setsFile({ text }: ParsedScript, { name, words }: CommandPattern): boolean {
  return /\w=<\(/.test(text) && namesWords(text, { name, words });
}

/** Whether a text has all words of a pattern, wherever they are. */
export function namesWords(text: string, { name, words }: Pick<CommandPattern, 'name' | 'words'>): boolean {
  return [name, ...words].every((word) => spells(text, word));
}

function searchCommand(
  command: SimpleCommand,
  parsed: ParsedScript,
  pattern: Sought,
  depth: number,
  isProse: boolean,
): HeldCommand | null {
  if (pattern.isLate()) throw new TooMuch();
  if (asksForHelp(command)) return null;
  const text = parsed.text.slice(command.pos, command.end);
  if (depth > MAX_DEPTH) return spells(parsed.text, pattern.name) ? possible(text) : null;
  const certainty = isNamed(command, pattern);
  const isOpen = command.name === null || isUnknown(command.name);
  // Code of other languages has many such words: `awk '{print $1}'`.
  if (certainty === 'same' && printsHelp(command, pattern)) return null;
  // A pattern of one word fits each program of an unknown name.
  const isOneWord = pattern.words.length + pattern.options.length === 0;
  const fitsAny = isOpen && !pattern.isSpelled && isOneWord;
  if (certainty !== null && !(isProse && isOpen) && !fitsAny) return { certainty, text };
  const isWhole = !isProse && command.name !== null && isOpen && command.args.length === 0;
  if (isWhole && spells(parsed.text, pattern.name)) return possible(text);
  const isPassed = pattern.isRead && depth === 0 && onlyPasses(command, parsed);
  const runs = !isProse && mayRun(command) && !isPassed;
  // A word alone may be the name of a file, a branch or a host.
  const isName =
    isOneWord &&
    (onlyNames(command) || (readsOnly(command) && !(command.name! in WRAPPERS || runsForReading(command))));
  const inner: SimpleCommand[] = [];
  const isNamedProgram = (given: string, path: string, isFirst: boolean) =>
    isProgram(given, pattern, isFirst || path.startsWith('/') || /git-core|exec-path/.test(parsed.text));
  for (const each of runs && !isName ? innerCommands(command, isNamedProgram) : []) {
    if (pattern.isLate()) throw new TooMuch();
    if (isNamed(each, pattern) !== null) return possible(text);
    inner.push(each);
  }
  for (const script of [command, ...inner].flatMap(innerTexts)) {
    const isOpenText = isUnknown(script) && !command.literal.has(script);
    if (isOpenText && spells(isOutside(script, parsed) ? text : parsed.text, pattern.name))
      return possible(text);
    const found = search(parseScript(script), pattern, depth + 1);
    if (found !== null) return { ...found, text };
  }
  for (const script of runs ? innerArguments(command) : [])
    if (search(parseScript(script), pattern, depth + 1, true) !== null) return possible(text);
  return hidesCommand(command, parsed, pattern) ? possible(text) : null;
}

/** Whether a program that only reads or stores files can run one too: elsewhere, or by an option (`tar -I x`). */
function runsForReading({ name, args }: SimpleCommand): boolean {
  if (/^(?:tar|rsync|scp|sftp)$/.test(name!))
    return args.some((arg) =>
      /^-(?:[A-Za-z]*[eISF]|-(?:rsh|rsync-path|use-compress-program|to-command|info-script))$/.test(arg),
    );
  return /^(?:docker|podman|gh|glab|aws|gcloud|az)$/.test(name!);
}

/** Whether a command only appends its arguments to a script of npm, which is in a known folder. */
function onlyPasses(command: SimpleCommand, { nodes, commands }: ParsedScript): boolean {
  if (command.isInner || passedArguments(command) === null) return false;
  const isOpen = ({ name, args }: SimpleCommand) =>
    name === 'alias' || (/^(?:cd|pushd|popd)$/.test(name ?? '') && args.some(isUnknown));
  return !commands.some(isOpen) && !nodes.some(({ type }) => type === 'Function' || type === 'Assignment');
}

/** The values of variables that programs get: `GIT_EDITOR='x' git commit`, `export PAGER='x'`. */
function prefixValues(parsed: ParsedScript, pattern: CommandPattern): string[] {
  return variablesIn(parsed).flatMap(({ name, value, isAlone }) => {
    if (isAlone) return [];
    if (name.startsWith('GIT_CONFIG_VALUE_')) return [gitAlias(value)];
    if (!/\s/.test(value)) return [];
    // The output of git isn't a command: `VERSION=$(git describe)`.
    return isOutput(parseScript(value)) && !namesWords(parsed.text, pattern) ? [] : [value];
  });
}

/** Whether a text is one word that another command prints. */
function isOutput({ tree }: ParsedScript): boolean {
  const [only, ...others] = tree.commands.map(({ command }) => command);
  if (only?.type !== 'Command' || others.length > 0) return false;
  return only.prefix.length + only.suffix.length === 0 && isUnknown(only.name?.value ?? '');
}

function possible(text: string): HeldCommand {
  return { certainty: 'possible', text };
}

/** Whether a command runs text that this reader can't parse. */
function hidesCommand(command: SimpleCommand, parsed: ParsedScript, pattern: CommandPattern): boolean {
  const { name, args, fed, input, wrappers } = command;
  if (name === null) return false;
  const { text } = parsed;
  const hasWords = (part: string) => namesWords(part, pattern);
  const isSource = name === '.' || name === 'source';
  if (isSource || SHELLS.has(name)) {
    // Text from a pipe, a here-document or a file.
    const inline = isSource ? -1 : args.findIndex((arg) => /^-[A-Za-z]*c/.test(arg));
    const isInline = inline !== -1;
    const isGiven = args.some((arg) => /^(?:<\(|\/dev\/)/.test(arg) || (isSource && isUnknown(arg)));
    const appended = wrappers.includes('xargs') && !(isInline && isClosed(args[inline + 1]));
    if (isGiven || (fed && input === null && !isInline) || appended) return spells(text, pattern.name);
  }
  if (name in WRAPPERS && wrappers.includes('xargs')) return spells(text, pattern.name);
  // A file that the script writes first.
  const files = isSource || SHELLS.has(name) ? args.map(baseName) : [name];
  if (hasWords(text) && writtenFiles(parsed).some((file) => files.includes(file))) return true;
  if (fed && startsShell(command)) return hasWords(text);
  if (readsCommands(command) && (fed || args.some((arg) => arg.startsWith('<(')))) return hasWords(text);
  // `sed '1e git push'`, `sed 's/x/git push/e'`.
  if (name === 'sed') return args.some((arg) => /(?:^|[\d$;{}/])\s*\d*e(?:\s|$)/.test(arg) && hasWords(arg));
  if (!CODE_RUNNERS.test(name) || !mayRun(command) || onlyPrints(command)) return false;
  return (fed ? [text] : args.filter((arg) => /[\s('"]/.test(arg))).some(hasWords);
}

/** A comment, or a print of a text without expansions of the shell or the language. */
const PRINT = /^(?:(?:print|console\.log)\((?:'[^'"\\$`]*'|"[^'"\\$`]*")?\);?|#[^$`]*)?$/;

/** Whether a program is only given code of Python or JavaScript that prints texts. What another command runs of them is its own. */
function onlyPrints({ name, args, fed, input }: SimpleCommand): boolean {
  if (!/^(?:python[\d.]*|node)$/.test(name!)) return false;
  const [option = '-', code] = args;
  const isGiven = fed ? args.length <= 1 && option === '-' : args.length === 2 && /^-[ce]$/.test(option);
  const text = fed ? input : code;
  return isGiven && typeof text === 'string' && text.split('\n').every((line) => PRINT.test(line.trim()));
}
