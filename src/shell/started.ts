import type { SyntaxNode } from 'unbash';
import type { NamedScripts } from './builders.ts';
import { BUILDERS, foldersIn, gitPrograms, namedBy, SHELL_STARTERS, startsShell } from './builders.ts';
import {
  baseName,
  isUnknown,
  type ParsedScript,
  parseScript,
  redirectsOf,
  SHELLS,
  type SimpleCommand,
  WRAPPERS,
} from './commands.ts';
import {
  CHANGES_FOLDER,
  checksFound,
  executed,
  isFileList,
  type Listing,
  listedPatterns,
  listingsOf,
  onlyChecks,
  writtenFiles,
} from './listings.ts';
import {
  FILE_READERS,
  gitArguments,
  innerArguments,
  innerCommands,
  innerTexts,
  mayRun,
  optionValues,
  readsCommands,
  TEXT_READERS,
} from './nested.ts';
import { inputFiles, variablesIn } from './variables.ts';

/** Programs that run the file that is their first argument. */
export const FILE_RUNNERS: ReadonlySet<string> = new Set([
  ...SHELLS,
  ...['python', 'python3', 'node', 'deno', 'bun', 'perl', 'ruby', 'php', 'pwsh', 'awk'],
]);

/**
 * The files of commands that a script runs: `sh deploy.sh`, `./deploy.sh`, `. ./env.sh`. Literal paths only, as in the source.
 * `runners`: the programs whose first argument is such a file.
 */
export function scriptFiles(script: string, runners: ReadonlySet<string> = SHELLS): string[] {
  const parsed = parseScript(script);
  const files = new Set<string>();
  const take = (word: string | undefined) => {
    if (word !== undefined && word !== '' && !/[$`*?[{]/.test(word)) files.add(word);
  };
  const paths = [...parsed.nodes, ...parsed.inner.flatMap(({ script: { nodes } }) => nodes)].flatMap(wordsOf);
  const byName = new Map<string, Set<string>>();
  for (const path of paths.filter((each) => each.includes('/')))
    byName.set(baseName(path), (byName.get(baseName(path)) ?? new Set()).add(path));
  const inner = parsed.commands.filter(mayRun).flatMap((command) => [...innerCommands(command, isRunner)]);
  for (const command of [...parsed.commands, ...inner]) {
    const { name, args } = command;
    if (name === null) continue;
    if (runners.has(name) && !args.some((arg) => /^-(?:[A-Za-z]*c|[em]$)/.test(arg)))
      take(args.find((arg) => !/^[-+]/.test(arg)));
    else if (name === '.' || name === 'source') take(args[0]);
    else for (const path of byName.get(name) ?? []) take(path);
  }
  return [...files];
}

const isRunner = (name: string) => name === '.' || name === 'source';

/** Whether a command runs text that is in none of its arguments: from a pipe, a file or a substitution. */
function runsInput(command: SimpleCommand): boolean {
  const { name, args, fed, wrappers } = command;
  if (name === null || (SHELLS.has(name) && onlyChecks(args))) return false;
  if (fed && startsShell(command)) return true;
  const isOpen = (word: string | undefined) =>
    word !== undefined && (isUnknown(word) || word.startsWith('<('));
  if (isRunner(name) || name === 'eval') return args.some(isOpen);
  if (SHELLS.has(name)) {
    const at = args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg));
    if (wrappers.includes('xargs')) return true;
    return at === -1 ? fed || args.some(isOpen) : isOpen(args[at + 1]);
  }
  // `ssh HOST COMMAND` gives its input to the command.
  if (name === 'ssh') return fed && !/\s/.test(args.at(-1) ?? '');
  return /^(?:at|batch|crontab)$/.test(name) || (fed && readsCommands(command));
}

/** What one command of a script starts. */
export interface Started {
  /**
   * The words that may be files which it runs. `script`: its text is run as commands, also without a permission. `program`: a file that the
   * system can start.
   */
  words: { word: string; as: 'script' | 'program' }[];
  /** The folders in which it may look for them. */
  folders: string[];
  named: NamedScripts | null;
  /** Texts in its arguments, which are separate scripts. */
  texts: string[];
  args: readonly string[];
  listings: Listing[];
}

/** What the commands of a script start. `isFolder`: whether a path is a folder; `join`: of a folder and a path. */
export function startedBy(
  script: string,
  start: string,
  files: { isFolder(path: string): boolean; join(folder: string, path: string): string },
): Started[] {
  const parsed = parseScript(script);
  const commands = parsed.commands.filter(({ isInner }) => !isInner);
  const isOpen = commands.some((command) => runsOpen(command, parsed));
  const places = placesOf(parsed, start, files);
  const variables = [parsed, ...parsed.inner.map((inner) => inner.script)].flatMap(variablesIn);
  const paths = variables.flatMap(({ name, value }) => (name === 'PATH' ? value.split(':') : []));
  const outer = new Map<number, string[]>();
  for (const { pos, name, args } of commands)
    if (name !== null && name in WRAPPERS)
      outer.set(pos, [...(outer.get(pos) ?? []), ...foldersIn(args), ...optionValues(args, ['-D'])]);
  const started = commands.map((command): Started => {
    const { name, args, path } = command;
    const here = places(command);
    const moved = (outer.get(command.pos) ?? [])
      .concat(foldersIn(args))
      .flatMap((to) => here.map((folder) => files.join(folder, to)));
    const named = namedBy(command);
    const folders = [...new Set(named !== null && moved.some(files.isFolder) ? moved : [...here, ...moved])];
    const given = mayRun(command) ? innerArguments(command) : [];
    const texts = [...innerTexts(command), ...given.filter((text) => !isFileList(text, command))];
    const program = path.includes('/') ? [path] : paths.map((folder) => `${folder}/${name}`);
    const words = [
      ...[...program, ...gitPrograms(command)].map(asScript),
      ...runWords(command, texts, isOpen),
    ];
    return { words, folders, named, texts, args, listings: listingsOf(command, parsed) };
  });
  const inputs = [
    ...variables.flatMap(({ name, value }) => (RUN_VARIABLES.test(name) ? value.split(/\s+/) : [])),
    ...(isOpen ? [...parsed.nodes.flatMap(inputFiles), ...listedPatterns(parsed)] : []),
  ];
  const folders = [...new Set([start, ...started.flatMap((each) => each.folders)])];
  const listings = parsed.commands
    .filter(({ isInner }) => isInner)
    .flatMap((command) => listingsOf(command, parsed));
  const rest = { words: inputs.map(asScript), folders, named: null, texts: [], args: [], listings };
  return [...started, rest];
}

const asScript = (word: string) => ({ word, as: 'script' as const });

/** The words of a command that may be files which it runs. `isOpen`: the script runs what other commands of it read or write. */
function runWords(command: SimpleCommand, texts: readonly string[], isOpen: boolean): Started['words'] {
  const { name } = command;
  const reads = !mayRun(command) || readsOnly(command);
  if (reads && !isOpen) return [];
  const isWrapper = name !== null && name in WRAPPERS;
  const args = isWrapper ? optionValues(command.args, ['-a', '--arg-file']) : command.args;
  const parts = args.filter((arg) => !texts.includes(arg)).flatMap(wordsIn);
  const isShell = [name ?? '', ...parts].some((part) => SHELLS.has(baseName(part)) || part === 'source');
  const isScript = reads || isShell || name === '.' || runsInput(command);
  return parts.map((word) => ({ word, as: isScript ? 'script' : 'program' }));
}

/** The parts of an argument that may be a path: of `-fX`, `--file=X`, and of code such as `run('X')`. */
function wordsIn(arg: string): string[] {
  const [, attached] = /^-[A-Za-z](.+)$/s.exec(arg) ?? [];
  const parts = /[=:,!'"()`;|&<>]|\s/.test(arg) ? arg.split(/[=:,!'"()`;|&<>\s]+/) : [];
  return [arg, ...(attached === undefined ? [] : [attached]), ...parts].filter((part) =>
    /^[^-\s]/.test(part),
  );
}

/** Whether a program only reads or stores the files that it names. Those behind a wrapper are looked at by themselves. */
export function readsOnly(command: SimpleCommand): boolean {
  const { name, args } = command;
  if (name === null) return false;
  if (name in WRAPPERS) return true;
  if (name === 'git') return !GIT_RUNNERS.test(gitArguments(command)[0] ?? '');
  if (SHELLS.has(name)) return onlyChecks(args);
  if (name === 'find') return isReader(executed(args) ?? 'find') || checksFound(args);
  if (/^(?:npx|bunx|pnpx|uvx)$/.test(name)) return isReader(args.find((arg) => /^[^-]/.test(arg)));
  if (/^(?:n?vim?|emacs)$/.test(name) && args.some((arg) => /^(?:-c$|--cmd|--eval|\+[:!])/.test(arg)))
    return false;
  return isReader(name);
}

const isReader = (name = '') => FILE_READERS.has(baseName(name));

/** Commands of git that run a program in their arguments. */
const GIT_RUNNERS = /^(?:bisect|submodule|difftool|mergetool|rebase|filter-branch)$/;

/** Whether a command runs what is known only when it runs, or a file that the script writes. */
function runsOpen(command: SimpleCommand, parsed: ParsedScript): boolean {
  const { name, args, wrappers, path } = command;
  if (name === null) return false;
  if (SHELLS.has(name) ? onlyChecks(args) : name === 'find' && checksFound(args)) return false;
  const isShell = SHELLS.has(name) || isRunner(name);
  if (isUnknown(path) || runsInput(command)) return true;
  if (wrappers.includes('xargs') && (name in WRAPPERS || isShell)) return true;
  const hasText = args.some((arg) => /^-[A-Za-z]*c/.test(arg));
  if (isShell && !hasText && (args.some(isUnknown) || args.every((arg) => arg.startsWith('-')))) return true;
  const program = name === 'find' ? (executed(args) ?? '') : '';
  if (isUnknown(program) || SHELLS.has(baseName(program)) || program in WRAPPERS) return true;
  const run = isShell ? args : [path];
  return run.some((word) => word !== '' && writtenFiles(parsed).includes(baseName(word)));
}

/** The folders in which each command of a script may work, after the changes of folder before it. */
function placesOf(
  { nodes, commands }: ParsedScript,
  start: string,
  { isFolder, join }: { isFolder(path: string): boolean; join(folder: string, path: string): string },
): (command: SimpleCommand) => string[] {
  const moves = commands.filter(({ name, isInner }) => !isInner && CHANGES_FOLDER.test(name ?? ''));
  if (moves.length === 0) return () => [start];
  const inside = (outer: { pos: number; end: number }, pos: number) => outer.pos <= pos && pos < outer.end;
  const scopes = nodes.flatMap((node): readonly { pos: number; end: number }[] =>
    node.type === 'Pipeline'
      ? node.commands
      : /^(?:Subshell|\w+(?:Expansion|Substitution)|Function)$/.test(node.type)
        ? [node]
        : [],
  );
  const choices = nodes.filter(({ type }) => /^(?:If|While|For|Case|Function|Select)$/.test(type));
  return (command) => {
    let here = [start];
    const seen = new Set(here);
    for (const move of moves) {
      if (move.pos >= command.pos) break;
      if (scopes.some((scope) => inside(scope, move.pos) && !inside(scope, command.pos))) continue;
      const to = move.args.find((arg) => !/^-./.test(arg)) ?? '~';
      const next = to === '-' ? [...seen] : here.map((folder) => join(folder, to)).filter(isFolder);
      for (const folder of next) seen.add(folder);
      const isSure = next.length > 0 && !choices.some((choice) => inside(choice, move.pos));
      here = isSure ? next : [...new Set([...here, ...next])];
    }
    return here;
  };
}

/** Whether a script can start a file at all. Much faster than to look for it. */
export function mayStart(script: string): boolean {
  const words = script.replace(/\\\n|['"\\]/g, '').split(/[\s;&|()<>=!]+/);
  return isUnknown(script) || words.some((word) => /[/~]/.test(word) || starts(word));
}

function starts(word: string): boolean {
  return (
    SHELLS.has(word) ||
    word in WRAPPERS ||
    BUILDERS.test(word) ||
    TEXT_READERS.test(word) ||
    SHELL_STARTERS.test(word) ||
    /^(?:\.|source|eval|run-parts|\S+\.\w*sh)$/.test(word) ||
    RUN_VARIABLES.test(word) ||
    word === 'PATH'
  );
}

/** Variables with a file, or a command, that a program runs. */
const RUN_VARIABLES =
  /^(?:(?:BASH_)?ENV|PROMPT_COMMAND|MAKEFILES|VISUAL|BROWSER|SHELL|\w*(?:EDITOR|PAGER|ASKPASS|PROXY_COMMAND|SSH|SSH_COMMAND|EXTERNAL_DIFF))$/;

function wordsOf(node: SyntaxNode): string[] {
  const words = node.type === 'Command' ? [node.name, ...node.suffix] : [];
  return [
    ...words.flatMap((word) =>
      word !== undefined && 'value' in word && typeof word.value === 'string' ? [word.value] : [],
    ),
    ...redirectsOf(node).flatMap((each) =>
      each.operator === '<' && each.target !== undefined ? [each.target.value] : [],
    ),
  ];
}
