import type { SyntaxNode } from 'unbash';
import { shellQuote } from '../base/command-line.ts';
import { baseName, isUnknown, parseScript, SHELLS, type SimpleCommand } from './commands.ts';
import { innerCommands, mayRun, optionValues, TEXT_READERS, variablesIn } from './nested.ts';

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
function runsInput({ name, args, fed, wrappers }: SimpleCommand): boolean {
  if (name === null) return false;
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
  return /^(?:at|batch|crontab)$/.test(name) || (fed && TEXT_READERS.test(name));
}

/** A script of `package.json` or a target of a makefile that a command runs. */
export interface NamedScripts {
  kind: 'npm' | 'make';
  names: string[];
  /** Of `make -f`. */
  file?: string;
}

/** What a script starts or may read as commands, as written in it. */
export interface Started {
  /** The files from which it may read text that it runs: `sh < x`, `cat x | sh`, `eval "$(cat x)"`, `BASH_ENV=x bash`, `PAGER=./x git log`. */
  inputs: string[];
  /** The folders that it works in: `cd x && ./y`, `make -C x`, `npm --prefix x`. */
  folders: string[];
  named: NamedScripts[];
}

export function startedBy(script: string): Started {
  const parsed = parseScript(script);
  const { nodes, commands, inner } = parsed;
  const all = [...nodes, ...inner.flatMap((each) => each.script.nodes)];
  const nested = commands
    .filter(mayRun)
    .flatMap((command) => [...innerCommands(command, (name) => BUILDERS.test(name))]);
  const started = [...commands, ...nested];
  const inputs = [
    ...[parsed, ...inner.map((each) => each.script)]
      .flatMap(variablesIn)
      .flatMap(({ name, value }) => (RUN_VARIABLES.test(name) ? value.split(/\s+/) : [])),
    ...(started.some(runsInput) ? all.flatMap(wordsOf) : []),
  ];
  return {
    inputs: inputs.filter((word) => /^[^-]/.test(word) && !isUnknown(word)),
    folders: commands.flatMap(foldersOf),
    named: started.flatMap(namedBy),
  };
}

/** Whether a script can start a file at all. Much faster than to look for it. */
export function mayStart(script: string): boolean {
  const words = script.replace(/\\\n|['"\\]/g, '').split(/[\s;&|()<>]+/);
  return isUnknown(script) || words.some((word) => word.includes('/') || starts(word));
}

function starts(word: string): boolean {
  return (
    SHELLS.has(word) ||
    BUILDERS.test(word) ||
    TEXT_READERS.test(word) ||
    /^(?:\.|source|eval)$/.test(word) ||
    RUN_VARIABLES.test(word.replace(/=.*$/s, ''))
  );
}

function foldersOf({ name, args }: SimpleCommand): string[] {
  if (name === 'cd' || name === 'pushd') return args.slice(0, 1);
  return optionValues(args, ['-C', '--prefix', '--cwd', '--dir', '--directory', '--chdir']);
}

/** Variables with a file, or a command, that a program runs. */
const RUN_VARIABLES =
  /^(?:(?:BASH_)?ENV|PROMPT_COMMAND|MAKEFILES|VISUAL|BROWSER|SHELL|\w*(?:EDITOR|PAGER|ASKPASS|SSH|SSH_COMMAND|EXTERNAL_DIFF))$/;

const BUILDERS = /^(?:npm|pnpm|yarn|bun|run-s|run-p|npm-run-all|g?make)$/;

function namedBy({ name, args }: SimpleCommand): NamedScripts[] {
  if (name === null || !BUILDERS.test(name)) return [];
  const names = args.filter((arg) => /^[^-]/.test(arg) && !arg.includes('='));
  if (!name.endsWith('make'))
    return [{ kind: 'npm', names: names.map((each) => (/^te?st?$/.test(each) ? 'test' : each)) }];
  const [file] = optionValues(args, ['-f', '--file', '--makefile']);
  return [{ kind: 'make', names, ...(file === undefined ? {} : { file }) }];
}

/** The commands of these scripts of a `package.json`, with those that npm runs before and after them. */
export function npmCommands(source: string, names: readonly string[]): string {
  let scripts: Record<string, unknown> = {};
  try {
    scripts = (JSON.parse(source) as { scripts?: Record<string, unknown> }).scripts ?? {};
  } catch {
    // npm doesn't run it either.
  }
  return names
    .flatMap((name) => [`pre${name}`, name, `post${name}`])
    .flatMap((name) => (Object.hasOwn(scripts, name) ? [String(scripts[name])] : []))
    .join('\n');
}

/** The commands of these targets of a makefile, or of its first one, and of everything that they need. Variables with a plain value are filled in. */
export function makeCommands(source: string, names: readonly string[]): string {
  const variables = new Map<string, string>();
  const rules = new Map<string, string[]>();
  let targets: string[] = [];
  const add = (line: string) => {
    for (const target of targets) rules.get(target)!.push(line.trim().replace(/^[@+-]+/, ''));
  };
  for (const line of source.replaceAll('\\\n', ' ').split('\n')) {
    const [, variable, value] = /^(?:export\s+)?([\w.-]+)\s*[:?+]{0,2}=\s*(.*)$/.exec(line) ?? [];
    const [, left, right] = /^([^\s#:=][^#:=]*)::?(?!=)(.*)$/.exec(line) ?? [];
    if (line.startsWith('\t')) add(line);
    else if (variable !== undefined) variables.set(variable, value!);
    else if (left !== undefined) {
      targets = left.trim().split(/\s+/);
      for (const target of targets) rules.set(target, rules.get(target) ?? []);
      const [needs = '', command = ''] = right!.split(';');
      if (/[^\s|]/.test(needs)) add(`make ${needs.replaceAll('|', ' ').trim()}`);
      if (command !== '') add(command);
    }
  }
  const first = [...rules.keys()].find((target) => !target.startsWith('.'));
  const wanted = names.length > 0 ? names : first === undefined ? [] : [first];
  const fill = (text: string, depth: number): string =>
    text.replace(
      /\$(?:\(([\w.-]+)\)|\{([\w.-]+)\}|[$@<^?*+|%])/g,
      (found, round?: string, curly?: string) => {
        const name = round ?? curly;
        if (name === undefined) return found === '$$' ? '$' : 'FILES';
        if (name === 'MAKE') return 'make';
        return depth < 5 && variables.has(name) ? fill(variables.get(name)!, depth + 1) : name;
      },
    );
  return wanted
    .flatMap((name) => rules.get(name) ?? [])
    .map((line) => fill(line, 0).replace(/\$\(shell /g, '$('))
    .join('\n');
}

function wordsOf(node: SyntaxNode): string[] {
  if (node.type !== 'Command' && node.type !== 'Redirected') return [];
  const words = node.type === 'Command' ? [node.name, ...node.suffix] : [];
  return [
    ...words.flatMap((word) =>
      word !== undefined && 'value' in word && typeof word.value === 'string' ? [word.value] : [],
    ),
    ...node.redirects.flatMap((each) =>
      each.operator === '<' && each.target !== undefined ? [each.target.value] : [],
    ),
  ];
}

/** What a tool seems to give to a shell, such as one behind MCP, one command a line; empty for others. */
export function toolScript({
  tool,
  server,
  arguments: given,
}: {
  tool: string;
  server: string | null;
  arguments: unknown;
}): string {
  // A patch of files.
  return server === null && tool === 'apply_patch' ? '' : scriptsIn(given).join('\n');
}

const ONE_COMMAND = /^(?:command|cmd|script|shell_?command|command_?line|shell)$/i;

function scriptsIn(given: unknown, depth = 0): string[] {
  if (typeof given !== 'object' || given === null || depth > 4) return [];
  const { args } = given as { args?: unknown };
  return Object.entries(given).flatMap(([key, value]) => {
    const isText = typeof value === 'string' || Array.isArray(value);
    if (ONE_COMMAND.test(key) && isText) return [[value, Array.isArray(args) ? args : []].flat().join(' ')];
    if (key === 'commands' && Array.isArray(value))
      return value.flatMap((each) => (typeof each === 'string' ? [each] : scriptsIn([each], depth + 1)));
    // Of another language, in which `!` may begin a command of the shell.
    if (key === 'code' && typeof value === 'string')
      return [`python -c ${shellQuote(value)}`, ...value.matchAll(/^\s*[!%]+(?:sx|sh|bash)?\s*(.+)$/gm)].map(
        (found) => (typeof found === 'string' ? found : found[1]!),
      );
    return scriptsIn(value, depth + 1);
  });
}
