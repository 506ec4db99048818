import type { SyntaxNode } from 'unbash';
import { type ParsedScript, parseScript, perScript, redirectsOf, type SimpleCommand } from './commands.ts';
import { READERS } from './nested.ts';

/** A variable that a script reads and nothing in it sets. Offsets of the expansion in the script, UTF-16 units. */
export interface OutsideVariable {
  name: string;
  pos: number;
  end: number;
}

/**
 * The variables that a script reads from its environment, each at its first place. A default (`${NAME:-x}`)
 * makes a variable optional. Null when the script reads another one (`.`, `source`, `eval`, `set -a`): then
 * anything may be set.
 */
export const outsideVariables = perScript(findVariables);

function findVariables(parsed: ParsedScript): readonly OutsideVariable[] | null {
  if (
    parsed.commands.some(
      ({ name, args }) => SETS_ANYTHING.has(name ?? '') || (name === 'set' && args[0] === '-a'),
    )
  )
    return null;
  const own = new Set<string>();
  const read = new Map<string, OutsideVariable>();
  for (const node of parsed.nodes) {
    for (const name of setBy(node)) own.add(name);
    const name = readBy(node);
    if (name !== null && !read.has(name)) read.set(name, { name, pos: node.pos, end: node.end });
  }
  for (const { command, script } of parsed.inner) {
    const inner = outsideVariables(script);
    if (inner === null) return null;
    for (const { name } of inner) {
      if (!read.has(name)) read.set(name, { name, pos: command.pos, end: command.end });
    }
  }
  return [...read.values()].filter(({ name }) => !own.has(name) && !SHELLS_OWN.has(name));
}

const SETS_ANYTHING = new Set(['.', 'source', 'eval']);
/** Set by the shell itself. */
const SHELLS_OWN = new Set([
  ...['PWD', 'OLDPWD', 'IFS', 'PPID', 'OPTARG', 'OPTIND', 'PS1', 'PS2', 'PS4', 'LINENO'],
  ...[
    'RANDOM',
    'SECONDS',
    'UID',
    'EUID',
    'HOSTNAME',
    'BASH',
    'BASH_VERSION',
    'PIPESTATUS',
    'FUNCNAME',
    'REPLY',
  ],
]);
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SETTERS = new Set([
  'read',
  'export',
  'local',
  'declare',
  'typeset',
  'readonly',
  'mapfile',
  'readarray',
  'getopts',
]);

function setBy(node: SyntaxNode): string[] {
  if (node.type === 'Assignment') return [node.name];
  if (node.type === 'For' || node.type === 'Select') return [node.name.text];
  if (
    node.type === 'ParameterExpansion' &&
    node.operation?.type === 'Default' &&
    node.operation.operator.endsWith('=')
  )
    return [node.parameter];
  if (node.type === 'ArithmeticBinary' && ASSIGNS.test(node.operator)) return namesIn(node.left);
  if (node.type === 'ArithmeticUnary' && ASSIGNS.test(node.operator)) return namesIn(node.operand);
  if (node.type !== 'Command' || !SETTERS.has(node.name?.value ?? '')) return [];
  // `export NAME` sets nothing.
  if (node.name?.value === 'export') return [];
  return node.args.flatMap((arg) => (arg.type === 'Word' && NAME.test(arg.value) ? [arg.value] : []));
}

/** The operators of arithmetic that set a variable. */
const ASSIGNS = /^(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=)$/;

/** The variable that a part of arithmetic is, with `$` or without. */
function namesIn(part: SyntaxNode): string[] {
  const name = part.type === 'ArithmeticWord' ? part.value.replace('$', '') : '';
  return NAME.test(name) ? [name] : [];
}

/** What a script changes in its own shell, which ends with it. */
export interface ShellState {
  /** Variables that it sets, also without a use for them. */
  variables: ReadonlySet<string>;
  /** Its last `cd`, and the commands after it, which work there; null: none. */
  directory: { to: string; pos: number; end: number; users: SimpleCommand[] } | null;
}

export const shellStateOf = perScript(({ tree, nodes, commands }): ShellState => {
  const variables = nodes.flatMap((node) => {
    if (node.type !== 'Command') return [];
    const set = node.name === undefined ? node.prefix : DECLARES.has(node.name.value) ? node.args : [];
    return [...set.flatMap((part) => (part.type === 'Assignment' ? [part.name] : [])), ...setBy(node)];
  });
  const move = tree.commands
    .flatMap(({ command }) => (command.type === 'AndOr' ? command.commands : [command]))
    .findLast((node) => node.type === 'Command' && MOVES.has(node.name?.value ?? ''));
  const to = move?.type === 'Command' ? move.args.find(({ type }) => type === 'Word') : undefined;
  if (move === undefined || to?.type !== 'Word') return { variables: new Set(variables), directory: null };
  const { pos, end } = move;
  const users = commands.filter((command) => command.pos >= end);
  return { variables: new Set(variables), directory: { to: to.text, pos, end, users } };
});

const DECLARES = new Set(['export', 'declare', 'typeset', 'readonly']);
const MOVES = new Set(['cd', 'pushd']);

function readBy(node: SyntaxNode): string | null {
  if (node.type === 'SimpleExpansion') {
    const name = node.text.slice(1);
    return NAME.test(name) ? name : null;
  }
  if (node.type === 'ArithmeticWord') return namesIn(node)[0] ?? null;
  if (node.type !== 'ParameterExpansion' || !NAME.test(node.parameter) || node.prefix === '!') return null;
  const { operation } = node;
  return operation?.type === 'Default' && !operation.operator.endsWith('?') ? null : node.parameter;
}

/** What is known of the words of a script before it runs. */
export interface KnownWords {
  /** The value of a variable that the script doesn't set. */
  variable(name: string): string | undefined;
  /** What a substitution prints; `$(pwd)` is known without it. */
  output(command: string): string | undefined;
  /** The files that a pattern stands for. */
  files(pattern: string): string[];
  /** Whether the search for them has lasted too long. */
  isLate?(): boolean;
}

/** A value that can be written into a script without a change of its syntax. */
const PLAIN_VALUE = /^[\w./:=@%+,~ ${}()*?[\]-]*$/;
const MAX_VARIANTS = 8;

/**
 * A script with its variables, patterns and `~` filled in where they are known. Several texts where a variable has several values. Empty
 * if nothing changes.
 */
export function filledIn(parsed: ParsedScript, known: KnownWords): string[] {
  if (!/[$~*?[{`]/.test(parsed.text)) return [];
  const counts = [...valuesIn(parsed).values()].map(({ length }) => length);
  const texts = new Set<string>();
  for (let variant = 0; variant < Math.min(MAX_VARIANTS, Math.max(1, ...counts)); variant += 1) {
    let last = parsed;
    for (let pass = 0; pass < MAX_PASSES && last.errors.length === 0; pass += 1) {
      if (known.isLate?.()) break;
      const text = fill(last, valuesIn(last), known, variant);
      if (text === last.text || text.length > MAX_FILLED) break;
      last = parseScript(text);
    }
    texts.add(last.text);
  }
  texts.delete(parsed.text);
  return [...texts];
}

/** A value may have variables in it. */
const MAX_PASSES = 4;
const MAX_FILLED = 256 * 1024;

/** The values that a script gives its variables; all elements of a list in one. */
function valuesIn({ nodes }: ParsedScript): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const add = (name: string, value: string) => values.set(name, [...(values.get(name) ?? []), value]);
  for (const node of nodes) {
    if (node.type === 'For') for (const { value } of node.wordlist ?? []) add(node.name.text, value);
    if (node.type !== 'Assignment') continue;
    if (node.value.type === 'Word') add(node.name, node.value.value);
    else add(node.name, node.value.elements.map(({ value }) => value).join(' '));
  }
  return values;
}

function fill(
  { text, nodes }: ParsedScript,
  values: ReadonlyMap<string, string[]>,
  known: KnownWords,
  variant: number,
): string {
  const given = (name: string) => {
    const own = values.get(name);
    if (own === undefined) return name === 'PWD' ? '.' : known.variable(name);
    return own.length > MAX_VARIANTS ? own.join(' ') : (own[variant] ?? own.at(-1));
  };
  let filled = '';
  let at = 0;
  for (const node of nodes) {
    if (node.pos < at) continue;
    const value = filledWord(node, given, known);
    if (value === undefined || !PLAIN_VALUE.test(value)) continue;
    if (filled.length + value.length > MAX_FILLED) return text;
    filled += text.slice(at, node.pos) + value;
    at = node.end;
  }
  return filled + text.slice(at);
}

/** What stands for a node; undefined: it stays. */
function filledWord(
  node: SyntaxNode,
  given: (name: string) => string | undefined,
  known: KnownWords,
): string | undefined {
  if (node.type === 'Word') {
    if (/^~\+?(?:\/|$)/.test(node.text)) {
      const home = node.text.startsWith('~+') ? '.' : known.variable('HOME');
      return home === undefined ? undefined : node.text.replace(/^~\+?/, home);
    }
    const isPattern = node.parts?.some(({ type }) => type === 'Glob' || type === 'BraceExpansion');
    if (!isPattern || /[$`]/.test(node.text)) return undefined;
    return known.files(node.value).join(' ') || undefined;
  }
  if (node.type === 'SimpleExpansion') return given(node.text.slice(1));
  if (node.type === 'ParameterExpansion')
    return node.operation === undefined && !node.prefix ? given(node.parameter) : undefined;
  if (node.type !== 'CommandExpansion') return undefined;
  const command = node.text.replace(/^(?:\$\(|`)\s*|\s*[)`]$/g, '');
  return command === 'pwd' ? '.' : known.output(command);
}

/** The files that a redirection or a substitution reads. */
export function inputFiles(node: SyntaxNode): string[] {
  return redirectsOf(node).flatMap((each) =>
    each.type === 'Redirect' && each.operator.startsWith('<') && each.target !== undefined
      ? [each.target.value]
      : [],
  );
}

/** The variables that a script sets: `A=x cmd`, `export A=x`, `env A=x cmd`. `isAlone`: without a program, as in `A=x`. */
export function variablesIn({ nodes }: ParsedScript): { name: string; value: string; isAlone: boolean }[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Command') return [];
    const isAlone = node.name === undefined;
    const program = node.name?.value ?? '';
    const given = program === 'gh' || READERS.has(program) ? [] : node.suffix;
    return [...node.prefix, ...given].flatMap((part) => {
      if (part.type === 'Assignment')
        return part.value.type === 'Word' ? [{ name: part.name, value: part.value.value, isAlone }] : [];
      const text = 'value' in part && typeof part.value === 'string' ? part.value : '';
      const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
      return name === undefined ? [] : [{ name, value: value!, isAlone }];
    });
  });
}
