import type { AndOr, Command, CompoundList, Script, Statement, SyntaxNode } from 'unbash';
import { baseName, type ParsedScript, type SimpleCommand } from './commands.ts';

/** Commands that always exit with 0. */
const ALWAYS_ZERO = new Set([
  ...['true', ':', 'echo', 'printf', 'sleep', 'export', 'readonly', 'local', 'declare', 'typeset'],
  ...['set', 'unset', 'shopt', 'trap', 'alias', 'umask', 'pwd', 'date', 'clear'],
]);

/** Whether a piece of a script can end with an exit code other than 0. */
export function canFail(node: SyntaxNode, options: SetOptions): boolean {
  switch (node.type) {
    case 'Script':
    case 'CompoundList':
      return listCanFail(node, options);
    case 'Statement':
      return node.background !== true && canFail(node.command, options);
    case 'AndOr':
      return andOrCanFail(node, options);
    case 'Pipeline':
      if (node.prefixes.some(({ type }) => type === 'Negation')) return true;
      return options.pipefail
        ? node.commands.some((command) => canFail(command, options))
        : node.commands.slice(-1).some((command) => canFail(command, options));
    case 'Command':
      return commandCanFail(node);
    case 'Redirected':
      return node.redirects.length > 0 || canFail(node.command, options);
    case 'If':
      return [node.then, ...node.elif.map(({ then }) => then), ...(node.else ? [node.else] : [])].some(
        (branch) => canFail(branch, options),
      );
    case 'Case':
      return node.items.some(({ body }) => canFail(body, options));
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
    case 'Subshell':
    case 'BraceGroup':
      return canFail(node.body, options);
    case 'Function':
    case 'Coproc':
      return false;
    // A loop that waits for something fails by never ending.
    default:
      return true;
  }
}

/** Whether a part of a script may end the script with a failure by itself. */
export function mayExit(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Script':
    case 'CompoundList':
    case 'AndOr':
    case 'Pipeline':
      return node.commands.some(mayExit);
    case 'Statement':
    case 'Redirected':
      return mayExit(node.command);
    case 'Command':
      return (
        (node.name?.value === 'exit' && !isZero(node)) || node.name?.value === 'exec' || demandsVariable(node)
      );
    case 'If':
      return [node.then, ...node.elif.map(({ then }) => then), ...(node.else ? [node.else] : [])].some(
        mayExit,
      );
    case 'Case':
      return node.items.some(({ body }) => mayExit(body));
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
    case 'While':
    case 'BraceGroup':
      return mayExit(node.body);
    default:
      return false;
  }
}

function listCanFail({ commands }: Script | CompoundList, options: SetOptions): boolean {
  const last = commands.at(-1);
  if (last === undefined) return false;
  if (canFail(last, options)) return true;
  return commands.some(
    (statement: Statement) => mayExit(statement) || (options.errexit && canFail(statement, options)),
  );
}

/** `a && b || c` is read from the left. */
function andOrCanFail({ commands, operators }: AndOr, options: SetOptions): boolean {
  let fails = commands.slice(0, 1).some((command) => canFail(command, options));
  for (const [at, operator] of operators.entries()) {
    const next = canFail(commands[at + 1]!, options);
    fails = operator === '&&' ? fails || next : fails && next;
  }
  return fails || commands.some(mayExit);
}

function commandCanFail(command: Command): boolean {
  const { name, prefix, redirects } = command;
  if (redirects.length > 0 || demandsVariable(command)) return true;
  if (name === undefined)
    return prefix.some((part) => part.type === 'Assignment' && part.text.includes('$('));
  if (name.value === 'exit') return !isZero(command);
  return !ALWAYS_ZERO.has(baseName(name.value));
}

function isZero({ args }: Command): boolean {
  return args[0]?.type === 'Word' && args[0].value === '0';
}

/** `${NAME:?why}` ends a script when the variable is not set. */
function demandsVariable({ args, prefix }: Command): boolean {
  return [...args, ...prefix].some((part) => 'text' in part && /\$\{\w+:?\?/.test(part.text));
}

/** Options of the shell that decide what a failure does. */
export interface SetOptions {
  /** `-e`: the first command that fails ends the script. */
  errexit: boolean;
  /** A pipe fails when any of its commands does. */
  pipefail: boolean;
}

/** What a script sets with `set`, and what its shell was started with if the script is an argument. */
export function setOptions({ commands }: ParsedScript, shell: SimpleCommand | null = null): SetOptions {
  const options = { errexit: false, pipefail: false };
  if (shell !== null) read(shell.args, options);
  for (const { name, args } of commands) if (name === 'set') read(args, options);
  return options;
}

function read(args: string[], options: SetOptions): void {
  for (const [at, arg] of args.entries()) {
    if (/^-[a-zA-Z]*e/.test(arg)) options.errexit = true;
    if (!/^-[a-zA-Z]*o$/.test(arg)) continue;
    if (args[at + 1] === 'errexit') options.errexit = true;
    if (args[at + 1] === 'pipefail') options.pipefail = true;
  }
}
