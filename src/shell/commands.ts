import { type Command, forEachChild, parse, type Redirection, type Script, type SyntaxNode } from 'unbash';
import { plainTree } from './plain.ts';

/** One simple command of a script: in a list, a pipe, a subshell or a substitution. */
export interface SimpleCommand {
  /** Base name without folder; null when it is not a literal word. */
  name: string | null;
  /** The name with its folder. */
  path: string;
  /** Whether it is in the text of an argument or of backticks, which is another script. */
  isInner: boolean;
  /** Arguments as written, quotes removed, expansions as their source text. */
  args: string[];
  /** Offset of the command in the script, UTF-16 units. */
  pos: number;
  end: number;
  /** Whether its standard input comes from a pipe, a file or the script itself. */
  fed: boolean;
  /** The text of its standard input, if that is all in the script. */
  input: string | null;
  /** Whether the script continues without waiting for it. */
  background: boolean;
  /** The programs that run it, outermost first: `sudo`, `timeout`. */
  wrappers: string[];
  /** Arguments that are always one word: `"$X"`; and those that the shell doesn't change: `'$X'`. */
  single: ReadonlySet<string>;
  literal: ReadonlySet<string>;
}

type Surroundings = Pick<SimpleCommand, 'fed' | 'background'>;

export interface ParsedScript {
  text: string;
  /** The whole syntax tree, for checks of lists, pipes and redirections. */
  tree: Script;
  /** Every node of the tree, parents first, in order. */
  nodes: SyntaxNode[];
  commands: SimpleCommand[];
  /** Scripts in an argument: `sh -c '…'`. */
  inner: InnerScript[];
  /** Why the script is not a shell script; empty when it parses. */
  errors: { message: string; pos: number }[];
  /** What has been found in it already, by who looked for it (`perScript`). */
  answers: Map<unknown, unknown>;
}

interface InnerScript {
  /** The shell with its options, and its place in the outer script. */
  command: SimpleCommand;
  script: ParsedScript;
}

/** Parses a shell script and lists its simple commands; wrappers such as `sudo` and `env` are looked through. */
export function parseScript(script: string): ParsedScript {
  if (last?.text === script) return last;
  const before = known.get(script);
  if (before !== undefined && before !== ONCE) return before;
  const parsed = parseAnew(script);
  last = parsed;
  if (known.size === KEPT) known.clear();
  known.set(script, before === ONCE ? parsed : ONCE);
  return parsed;
}

/**
 * The protocols of a team share many commands. A script that occurs a second time is cached for the third;
 * the result must not be changed. All others would only fill the memory.
 */
const known = new Map<string, ParsedScript | typeof ONCE>();
const ONCE = Symbol('seen once');
const KEPT = 500;
/** A hook looks at one script several times in a row. */
let last: ParsedScript | null = null;

function parseAnew(script: string): ParsedScript {
  const tree = plainTree(script) ?? parse(script);
  const found = { nodes: [], commands: [], inner: [], errors: [] };
  const parsed: ParsedScript = { text: script, tree, ...found, answers: new Map() };
  visit(tree, { fed: false, background: false }, parsed);
  return parsed;
}

/** Levels of the syntax tree that are looked at: a level of a script in a script has about five. */
const MAX_LEVEL = 400;

function visit(node: SyntaxNode, around: Surroundings, parsed: ParsedScript, level = 0): void {
  if (level > MAX_LEVEL) {
    parsed.errors.push({ message: 'commands are nested too deeply', pos: node.pos });
    return;
  }
  parsed.nodes.push(node);
  let inside = around;
  switch (node.type) {
    case 'Script':
      if (node.errors !== undefined) parsed.errors.push(...node.errors);
      break;
    case 'Statement':
      if (node.background === true) inside = { ...around, background: true };
      break;
    case 'Command':
      addCommand(simple(node, around), parsed);
      break;
    case 'Pipeline':
      for (const prefix of node.prefixes) visit(prefix, around, parsed, level + 1);
      for (const [at, command] of node.commands.entries())
        visit(command, at > 0 ? { ...around, fed: true } : around, parsed, level + 1);
      return;
    case 'CommandExpansion':
      // Places inside escaped backticks belong to another text: its commands get the place of the
      // substitution.
      if (node.script?.source === undefined) break;
      addInner(parseScript(node.script.source), node, parsed);
      return;
    case 'Redirected':
      if (node.redirects.some(isInput)) inside = { ...around, fed: true };
      break;
  }
  forEachChild(node, (child) => visit(child, inside, parsed, level + 1));
}

/** The redirections of a command or a group; other nodes have none. */
export function redirectsOf(node: SyntaxNode): readonly Redirection[] {
  return node.type === 'Command' || node.type === 'Redirected' ? node.redirects : [];
}

function addCommand(command: SimpleCommand, parsed: ParsedScript): void {
  for (const seen of unwrap(command)) {
    parsed.commands.push(seen);
    if (seen.wrappers.length === MAX_WRAPPERS)
      parsed.errors.push({ message: 'commands are nested too deeply', pos: seen.pos });
    const script = inlineScript(seen);
    if (script === null) continue;
    parsed.inner.push({ command: seen, script });
    addInner(script, seen, parsed);
  }
}

function addInner(
  { commands }: ParsedScript,
  { pos, end }: { pos: number; end: number },
  parsed: ParsedScript,
): void {
  parsed.commands.push(...commands.map((inner) => ({ ...inner, pos, end, isInner: true })));
}

function simple(node: Command, around: Surroundings): SimpleCommand {
  const name = node.name?.value ?? null;
  const quoted = (kind: string) =>
    node.suffix.flatMap((word) =>
      word.type === 'Word' && word.parts?.length === 1 && word.parts[0]!.type === kind ? [word.value] : [],
    );
  return {
    name: name === null ? null : baseName(name),
    path: name ?? '',
    isInner: false,
    args: node.suffix.flatMap((word) =>
      'value' in word && typeof word.value === 'string' ? [word.value] : [],
    ),
    pos: node.pos,
    end: node.end,
    ...around,
    fed: around.fed || node.redirects.some(isInput),
    input: around.fed ? null : inputText(node.redirects.filter(isInput)),
    wrappers: [],
    single: new Set(quoted('DoubleQuoted').filter((value) => !/@|\[\*\]/.test(value))),
    literal: new Set(quoted('SingleQuoted')),
  };
}

function inputText([first, ...others]: readonly Redirection[]): string | null {
  if (first === undefined || others.length > 0) return null;
  if (first.type === 'HereDoc') return first.body?.text ?? null;
  return first.type === 'HereString' ? (first.target?.value ?? null) : null;
}

function isInput({ operator }: Redirection): boolean {
  return operator.startsWith('<');
}

/** Wrappers run the command in their arguments; options of the wrapper with a value are skipped with it. */
export const WRAPPERS: Record<string, ReadonlySet<string>> = {
  sudo: new Set(['-u', '-g', '-h', '-p', '-C', '-T', '-r', '-t']),
  doas: new Set(['-u', '-C']),
  env: new Set(['-u', '-C', '-S']),
  nice: new Set(['-n']),
  ionice: new Set(['-c', '-n', '-p']),
  nohup: new Set(),
  time: new Set(['-f', '-o']),
  timeout: new Set(['-k', '-s']),
  exec: new Set(['-a']),
  command: new Set(),
  xargs: new Set(['-I', '-n', '-P', '-d', '-L', '-a', '-E', '-s']),
  setsid: new Set(),
  busybox: new Set(),
  toybox: new Set(),
  stdbuf: new Set(['-i', '-o', '-e']),
};
export const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh', 'rbash']);

const MAX_WRAPPERS = 50;

/** A command and what it runs through wrappers, outermost first. */
export function unwrap(command: SimpleCommand): SimpleCommand[] {
  const valued = command.name === null ? undefined : WRAPPERS[command.name];
  if (valued === undefined || asksForPath(command) || command.wrappers.length === MAX_WRAPPERS)
    return [command];
  const given = command.name === 'xargs' ? withGaps(command.args) : command.args;
  const [name, ...args] = wrapped(given, valued, command.name === 'timeout');
  if (name === undefined) return [command];
  const inner: SimpleCommand = {
    ...command,
    name: baseName(name),
    path: name,
    args,
    // xargs hands its own input on as arguments.
    fed: command.fed || command.name === 'xargs',
    input: command.name === 'xargs' ? null : command.input,
    wrappers: [...command.wrappers, command.name!],
  };
  return [command, ...unwrap(inner)];
}

/** Arguments of xargs with `{}` for each place that it fills: `-I%` fills `%`. */
function withGaps(args: readonly string[]): string[] {
  const [, gap] = /(?:^|\0)(?:-[IJ]\0?|--replace=)([^\0]+)/.exec(args.join('\0')) ?? [];
  return gap ? args.map((arg) => arg.replaceAll(gap, '{}')) : [...args];
}

/** `command -v` runs nothing. */
function asksForPath({ name, args }: SimpleCommand): boolean {
  return name === 'command' && /^-[a-z]*[vV]/.test(args[0] ?? '');
}

function wrapped(args: string[], valued: ReadonlySet<string>, hasDuration: boolean): string[] {
  let at = 0;
  while (at < args.length) {
    const arg = args[at]!;
    if (arg === '--') return args.slice(at + 1);
    if (/^[A-Za-z_][A-Za-z0-9_]*=/.test(arg)) at += 1;
    else if (arg.startsWith('-')) at += valued.has(arg) ? 2 : 1;
    else break;
  }
  return args.slice(hasDuration ? at + 1 : at);
}

/** `sh -c '…'` hides a script in an argument. */
function inlineScript({ name, args }: SimpleCommand): ParsedScript | null {
  if (name === null || !SHELLS.has(name)) return null;
  const flag = args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg));
  const script = flag === -1 ? undefined : args[flag + 1];
  return script === undefined ? null : parseScript(script);
}

/** The last part of a path; of `${0/x/y}` all, because that isn't one. */
export function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^[^{(]*[})]/.test(name) ? path : name;
}

/**
 * Memoizes a question about a script: the result doesn't depend on the script's place, and the protocols of a
 * team share many commands. Results must not be changed.
 */
export function perScript<Answer extends NonNullable<unknown> | null>(
  find: (parsed: ParsedScript) => Answer,
): (parsed: ParsedScript) => Answer {
  return (parsed) => {
    const known = parsed.answers.get(find);
    if (known !== undefined) return known as Answer;
    const answer = find(parsed);
    parsed.answers.set(find, answer);
    return answer;
  };
}

/** A word that the shell replaces when it runs. */
export function isUnknown(word: string): boolean {
  return /[$`*?[{]/.test(word) && word !== '[' && word !== '[[' && word !== '{';
}
