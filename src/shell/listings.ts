import type { SyntaxNode } from 'unbash';
import {
  baseName,
  isUnknown,
  type ParsedScript,
  parseScript,
  perScript,
  redirectsOf,
  SHELLS,
  type SimpleCommand,
  WRAPPERS,
} from './commands.ts';
import { CODE_RUNNERS, FILE_READERS, mayRun, READERS, TEXT_READERS } from './nested.ts';
import { shellStateOf } from './variables.ts';

/** Files whose names a script learns when it runs, of which it starts some. */
export interface Listing {
  /** As written; a file isn't looked at. */
  folder: string;
  /** Whether a shell gets them, which reads any text. */
  as: 'script' | 'program';
  /** A pattern for their names. */
  names: string;
  /** Whether files in the folders below are listed too. */
  isDeep: boolean;
}

/** Programs that list files; without a folder, those of the working folder. */
const LISTERS = /^(?:find|fd|fdfind|ls|dir|vdir|tree|du|git|rg|ag|ack)$/;
const SHALLOW = /^(?:ls|dir|vdir)$/;
/** Their first argument isn't a folder. */
const SEARCHERS = /^(?:fd|fdfind|rg|ag|ack)$/;
export const CHANGES_FOLDER = /^(?:cd|pushd)$/;
const EACH = '*';

/** Whether a shell only checks the syntax: `-n`. */
export function onlyChecks(args: readonly string[]): boolean {
  const end = args.findIndex((arg) => !arg.startsWith('-'));
  const options = end === -1 ? args : args.slice(0, end);
  return (
    options.some((arg) => /^-[abd-z]*n[abd-z]*$/.test(arg)) &&
    !options.some((arg) => arg.includes('c')) &&
    !args.includes('+n')
  );
}

export const checksFound = (args: readonly string[]) =>
  SHELLS.has(baseName(executed(args) ?? '')) && onlyChecks(args.slice(args.indexOf(executed(args)!) + 1));

/** The program that find starts. */
export function executed(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => /^-(?:exec|ok)(?:dir)?$/.test(arg));
  return at === -1 ? undefined : args[at + 1];
}

/**
 * What a command lists for a script that runs names from a list: in a substitution, before a pipe, or for the program that it
 * starts itself (`find -exec`, `run-parts`).
 */
export function listingsOf(command: SimpleCommand, parsed: ParsedScript): Listing[] {
  const { name, args } = command;
  if (name === null || SHELLS.has(name) || CHANGES_FOLDER.test(name)) return [];
  const as = name === 'run-parts' ? 'program' : runsListed(parsed);
  if (as === 'nothing') return [];
  const program = executed(args);
  const runsFound = program !== undefined && !isClosedProgram(args, program);
  const applies = /^fd/.test(name) && args.some((arg) => /^-(?:[xX]|-exec)/.test(arg));
  if (!(name === 'run-parts' || runsFound || applies || isPrinted(command, parsed))) return [];
  const end = name === 'find' ? args.findIndex((arg) => /^[-!(]/.test(arg)) : -1;
  const own = (end === -1 ? args : args.slice(0, end)).filter((arg) => !arg.startsWith('-'));
  if (name === 'git' && !/^(?:ls-|diff|grep|status)/.test(own.shift() ?? '') && !args.includes('--name-only'))
    return [];
  const folders = own.filter((arg) => !isUnknown(arg));
  if (LISTERS.test(name) && (own.length === 0 || SEARCHERS.test(name))) folders.push('.');
  const at = args.findIndex((arg) => /^-i?name$/.test(arg));
  const isNarrow = at !== -1 && !args.some((arg) => /^(?:-o|-or|!|-not|,)$/.test(arg));
  const given = isNarrow ? args[at + 1]! : EACH;
  // A name without a pattern is looked for in the folders below too.
  const names = isUnknown(given) ? given : `[${given.charAt(0)}]${given.slice(1)}`;
  const isDeep = !SHALLOW.test(name) || args.some((arg) => /^-[A-Za-z]*R/.test(arg));
  return folders.map((folder) => ({ folder, as, names, isDeep }));
}

/** Whether the output of a command is more than text for the user. */
function isPrinted({ pos }: SimpleCommand, { nodes }: ParsedScript): boolean {
  const inside = (node: { pos: number; end: number }) => node.pos <= pos && pos < node.end;
  return nodes.some((node) =>
    node.type === 'Pipeline'
      ? node.commands.slice(0, -1).some(inside)
      : /^(?:CommandExpansion|ProcessSubstitution)$/.test(node.type) && inside(node),
  );
}

/** Whether a script runs a file whose name may come from a list: by a shell, or as a program. */
const runsListed = perScript((parsed: ParsedScript): Listing['as'] | 'nothing' => {
  const kinds = parsed.commands.map((command) => howListed(command, parsed));
  return (['script', 'program'] as const).find((kind) => kinds.includes(kind)) ?? 'nothing';
});

function howListed(
  { name, path, args, fed, wrappers }: SimpleCommand,
  parsed: ParsedScript,
): Listing['as'] | null {
  if (name === null) return null;
  const found = /^fd/.test(name)
    ? args[args.findIndex((arg) => /^-(?:[xX]|-exec)/.test(arg)) + 1]
    : executed(args);
  if (found !== undefined && !isClosedProgram(args, found)) return isShell(found) ? 'script' : 'program';
  if (name === 'parallel' && fed) return 'script';
  if (name in WRAPPERS && !wrappers.includes('xargs')) return null;
  if (isListed(path, parsed) || name in WRAPPERS) return 'program';
  if (!isShell(name) || onlyChecks(args)) return null;
  const text = args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg));
  if (text !== -1 && isClosed(args[text + 1])) return null;
  const file = args.find((arg, at) => !/^[-+]/.test(arg) && !/^[-+]\w*[oO]$|file$/.test(args[at - 1] ?? ''));
  const isGiven = file === undefined ? fed : isListed(file, parsed);
  return isGiven || wrappers.includes('xargs') || text !== -1 ? 'script' : null;
}

const isShell = (name: string) => SHELLS.has(baseName(name)) || /^(?:\.|source|eval)$/.test(name);

/** Whether the program that find starts runs none of the files that it finds. */
function isClosedProgram(args: readonly string[], program: string): boolean {
  const rest = args.slice(args.indexOf(program) + 1);
  const name = baseName(program);
  if (name in WRAPPERS || isUnknown(name)) return false;
  if (!SHELLS.has(name)) return true;
  const text = rest.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg));
  return onlyChecks(rest) || (text !== -1 && isClosed(rest[text + 1]));
}

/** Whether a word may be from a list: a substitution, a pattern, or a variable with one of these. */
function isListed(word: string, parsed: ParsedScript): boolean {
  const last = baseName(word);
  if (!isUnknown(last)) return false;
  if (/\$\(|`|[*?[]|^\{\}$|\$[@*1-9]|\$\{[@*1-9]/.test(last)) return true;
  const names = [...last.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!);
  return names.some((name) => openVariables(parsed).has(name));
}

/** The variables of a script whose value is known only when it runs, and not from its environment. */
const openVariables = perScript((parsed: ParsedScript): ReadonlySet<string> => {
  const plain = new Set<string>();
  const open = new Set<string>();
  for (const node of parsed.nodes) {
    const [name, values] = valuesOf(node);
    if (name !== null) (values.some(isUnknown) ? open : plain).add(name);
  }
  for (const name of shellStateOf(parsed).variables) if (!plain.has(name)) open.add(name);
  return open;
});

function valuesOf(node: SyntaxNode): [name: string | null, values: string[]] {
  if (node.type === 'For') return [node.name.text, node.wordlist?.map(({ value }) => value) ?? ['$@']];
  if (node.type !== 'Assignment') return [null, []];
  const { value } = node;
  return [node.name, value.type === 'Word' ? [value.value] : value.elements.map((each) => each.value)];
}

/** Patterns in the list of a loop and in values, whose files a script may run. */
export const listedPatterns = perScript(({ nodes }: ParsedScript): string[] =>
  nodes
    .flatMap((node) => valuesOf(node)[1])
    .filter((value) => /[*?[]/.test(value) && !/[$`\s]/.test(value))
    .map((value) => (value.includes('/') ? value : `./${value}`)),
);

/** Whether a script runs nothing that is in its arguments: `wc "$@"`. */
export function isClosed(script: string | undefined): boolean {
  if (script === undefined) return false;
  if (isUnknown(script) && !/\s/.test(script)) return false;
  return parseScript(script).commands.every(
    ({ name, args }) =>
      name !== null &&
      !isUnknown(name) &&
      !(
        args.some(isUnknown) &&
        (SHELLS.has(name) || name in WRAPPERS || /^(?:eval|trap|\.|source)$/.test(name))
      ),
  );
}

const WRITERS = /^(?:tee|cp|mv|ln|link|install|rsync|dd|ed|ex|patch|sponge)$/;

/** Whether a program changes the files that it gets: `sed -i`. */
function writesGiven({ name, args }: SimpleCommand): boolean {
  if (name === null || WRITERS.test(name)) return name !== null;
  return !READERS.has(name) && args.some((arg) => /^-(?:[a-zA-Z0]*i|-in-?place|-write$)/.test(arg));
}

/** The names of the files that a script writes, copies, moves or changes, also by a patch. */
export const writtenFiles = perScript(({ text, nodes, commands }): string[] => {
  const targets = nodes
    .flatMap(redirectsOf)
    .flatMap((each) =>
      each.type === 'Redirect' && each.operator.includes('>') && each.target !== undefined
        ? [each.target.value]
        : [],
    );
  const given = commands.flatMap((command) => (writesGiven(command) ? command.args : []));
  const setsPackage = commands.some(({ name, args }) => /^\w*npm$/.test(name ?? '') && args[0] === 'pkg');
  const patched = text.matchAll(/^(?:\+\+\+ |\*\*\* (?:Add|Update) File: )(\S+)/gm);
  return [
    ...targets,
    ...given,
    ...(setsPackage ? ['package.json'] : []),
    ...[...patched].map(([, path]) => path!),
  ].map((path) => baseName(path.replace(/^of=/, '')));
});

/** What the aliases of a script stand for. */
export function aliases({ nodes }: ParsedScript): string[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Command' || node.name?.value !== 'alias') return [];
    return node.suffix.flatMap((word) =>
      word.type === 'Assignment' && word.value?.type === 'Word' ? [word.value.value] : [],
    );
  });
}

/** Whether a text is what another program prints, which nothing in the script makes: `eval "$(ssh-agent -s)"`. */
export function isOutside(script: string, parsed: ParsedScript): boolean {
  const [, name] = /^\$\(([\w-]+)(?: [\w.:@%+=-]+)*\)$/.exec(script) ?? [];
  if (name === undefined || name in WRAPPERS || SHELLS.has(name) || FILE_READERS.has(name)) return false;
  if (CODE_RUNNERS.test(name) || TEXT_READERS.test(name) || GENERAL.test(name) || aliases(parsed).length > 0)
    return false;
  const reads = mayRun({ ...parsed.commands[0]!, name, args: [] });
  return (
    reads &&
    !parsed.nodes.some(({ type }) => type === 'Function') &&
    writtenFiles(parsed).every((file) => file === 'null')
  );
}

/** Whether a text is only the names of files that a program reads: `vim $(git diff --name-only)`. */
export function isFileList(text: string, command: SimpleCommand): boolean {
  if (!/^\$\([^()]*\)$/.test(text) || !FILE_READERS.has(command.name ?? '')) return false;
  const before = command.args[command.args.indexOf(text) - 1] ?? '';
  return !command.single.has(text) || !before.startsWith('-');
}

/** Programs that print what the script gives them in a file or a variable. */
const GENERAL =
  /^(?:git|npm|gh|decode|printenv|declare|typeset|compgen|history|fc|xclip|pbpaste|crontab|tmux|screen)$/;
