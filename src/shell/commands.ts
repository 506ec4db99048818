import { type Command, forEachChild, parse, type Script, type SyntaxNode } from 'unbash';

/** One simple command of a script, wherever it stands: in a list, a pipe, a subshell, a substitution. */
export interface SimpleCommand {
  /** Base name without folder; null when it is not a literal word. */
  name: string | null;
  /** Arguments as written, quotes removed, expansions as their source text. */
  args: string[];
  /** Offset of the command in the script, UTF-16 units. */
  pos: number;
  end: number;
}

export interface ParsedScript {
  /** The whole syntax tree, for whoever asks about lists, pipes and redirections. */
  tree: Script;
  commands: SimpleCommand[];
  /** Why the script is no shell script; empty when it parses. */
  errors: { message: string; pos: number }[];
}

/** Parses a shell script and lists its simple commands; wrappers such as `sudo` and `env` are looked through. */
export function parseScript(script: string): ParsedScript {
  const commands: SimpleCommand[] = [];
  const errors: ParsedScript['errors'] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Script' && node.errors !== undefined) errors.push(...node.errors);
    if (node.type === 'Command') commands.push(...unwrap(simple(node)));
    forEachChild(node, visit);
  };
  const tree = parse(script);
  visit(tree);
  return { tree, commands, errors };
}

function simple(node: Command): SimpleCommand {
  const name = node.name?.value ?? null;
  return {
    name: name === null ? null : baseName(name),
    args: node.suffix.flatMap((word) =>
      'value' in word && typeof word.value === 'string' ? [word.value] : [],
    ),
    pos: node.pos,
    end: node.end,
  };
}

/** Wrappers run what their arguments name; options of the wrapper that take a value are skipped with it. */
const WRAPPERS: Record<string, ReadonlySet<string>> = {
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
  stdbuf: new Set(['-i', '-o', '-e']),
};
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);

function unwrap(command: SimpleCommand): SimpleCommand[] {
  if (command.name === null) return [command];
  if (SHELLS.has(command.name)) return [command, ...inlineScript(command)];
  const valued = WRAPPERS[command.name];
  if (valued === undefined) return [command];
  const rest = wrapped(command.args, valued, command.name === 'timeout');
  const [name, ...args] = rest;
  return name === undefined
    ? [command]
    : [command, ...unwrap({ name: baseName(name), args, pos: command.pos, end: command.end })];
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
function inlineScript({ args, pos, end }: SimpleCommand): SimpleCommand[] {
  const flag = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = flag === -1 ? undefined : args[flag + 1];
  return script === undefined ? [] : parseScript(script).commands.map((inner) => ({ ...inner, pos, end }));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
