import type {
  AndOr,
  Assignment,
  Command,
  DoubleQuotedChild,
  ParsedScript,
  Pipeline,
  Redirect,
  RedirectDescriptor,
  RedirectOperator,
  Statement,
  Word,
  WordPart,
} from 'unbash';

/** Words that begin more than a simple command. */
const RESERVED = new Set(
  'if then elif else fi for while until do done case esac in select function time coproc'.split(' '),
);
/** Commands with assignments as arguments. */
const DECLARERS = new Set(['export', 'local', 'alias', 'declare', 'typeset', 'readonly']);

/** Between words: blanks, continued lines, and a comment. */
const GAP = /(?:[ \t]+(?:\\\n[ \t]*)*)?(?:(?<![^ \t\n;|&])#[^\n]*)?/y;
const OPERATOR = /(?:&&|\|\|?|;)(?![&|;])|\n/y;
const REDIRECT = /(\d(?=[<>]))?(>>|[<>]&?|&>>?)[ \t]*/y;
/** A part of a word: without quotes, a pattern, in quotes, a variable, or a substitution without quotes and comments. */
const PIECE =
  /((?:[\w./:@%+,=~^-]|\\[^\n])(?:[\w./:@%+,=~^#-]|\\[^\n])*)|(\*+|\?)|('[^']*')|("(?:[^"\\$`]|\\[^\n]|\$[\w@*#?]|\$\{[A-Za-z_]\w*\}|\$\([^()'"\\`#]*\))*")|(\$(?:[A-Za-z_]\w*|[\d@*#?]))|\$\{([A-Za-z_]\w*)\}|\$\([^()'"\\`#]*\)/y;
const IN_QUOTES = /((?:[^"\\$]|\\[^\n])+)|(\$(?:[A-Za-z_]\w*|[\d@*#?]))|\$\{(\w+)\}|\$\([^()]*\)/y;

/**
 * The syntax tree of plain commands in lists and pipes; null for all other scripts. Words may be quoted and have simple variables,
 * patterns and substitutions; there are no groups, loops and here-documents. The parser would make the same tree. A hook needs no parser
 * for most calls then, and loading one is slow. `start`: where the script of a substitution begins.
 */
export function plainTree(script: string, start = 0): ParsedScript | null {
  const commands: Statement[] = [];
  let list: Chain<Command | Pipeline, '&&' | '||'> = { items: [], operators: [] };
  let pipe: Chain<Command, '|'> = { items: [], operators: [] };
  for (let at = start; ; ) {
    const command = commandAt(script, at);
    if (command === null) return null;
    at = command.next;
    const operator = matchAt(OPERATOR, script, at)?.[0];
    const isEnd = at === script.length;
    if (operator === undefined && !isEnd) return null;
    at += operator?.length ?? 0;
    if (command.node === null) {
      const isOpen = list.operators.length + pipe.operators.length > 0;
      if (isEnd ? isOpen || commands.length === 0 : operator !== '\n') return null;
      if (isEnd) break;
      continue;
    }
    pipe.items.push(command.node);
    if (operator === '|') pipe.operators.push(operator);
    else {
      list.items.push(pipelineOf(pipe));
      pipe = { items: [], operators: [] };
      if (operator === '&&' || operator === '||') list.operators.push(operator);
      else {
        commands.push(statementOf(list));
        list = { items: [], operators: [] };
      }
    }
    if (isEnd) break;
  }
  const shebang = start === 0 && script.startsWith('#!') ? script.split('\n', 1)[0] : undefined;
  return { type: 'Script', pos: start, end: script.length, shebang, commands, errors: undefined };
}

interface Chain<Item, Operator> {
  items: Item[];
  operators: Operator[];
}

interface Place {
  pos: number;
  end: number;
}

function pipelineOf({ items, operators }: Chain<Command, '|'>): Pipeline | Command {
  const place = placeOf(items);
  return items.length > 1
    ? { type: 'Pipeline', ...place, prefixes: [], commands: items, operators }
    : items[0]!;
}

function statementOf({ items, operators }: Chain<Command | Pipeline, '&&' | '||'>): Statement {
  const place = placeOf(items);
  const list: AndOr = { type: 'AndOr', ...place, commands: items, operators };
  return { type: 'Statement', ...place, command: items.length > 1 ? list : items[0]!, background: undefined };
}

/** Reads the command up to the next operator; its node is null for an empty one. Null for anything but words and redirections. */
function commandAt(script: string, start: number): { node: Command | null; next: number } | null {
  let name: Word | undefined;
  const prefix: (Assignment | Redirect)[] = [];
  const suffix: (Word | Assignment | Redirect)[] = [];
  let at = start;
  for (;;) {
    at += matchAt(GAP, script, at)![0].length;
    const redirect = matchAt(REDIRECT, script, at);
    const word = wordAt(script, at + (redirect?.[0].length ?? 0));
    if (word === null) {
      if (redirect !== null) return null;
      break;
    }
    // The number of an open file, with two digits.
    if (/^\d+$/.test(word.text) && /[<>]/.test(script.charAt(word.end))) return null;
    if (redirect !== null) (name === undefined ? prefix : suffix).push(redirectOf(redirect, at, word));
    else {
      const mayAssign = name === undefined || DECLARERS.has(name.value);
      const assigned = mayAssign ? assignmentOf(word, script) : null;
      if (assigned === 'unclear' || (name === undefined && RESERVED.has(word.text))) return null;
      if (name !== undefined) suffix.push(assigned ?? word);
      else if (assigned === null) name = word;
      else prefix.push(assigned);
    }
    at = word.end;
  }
  const parts = [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
  const node = parts.length === 0 ? null : new PlainCommand({ ...placeOf(parts), name, prefix, suffix });
  return { node, next: at };
}

function redirectOf([, number, operator]: RegExpExecArray, pos: number, target: Word): Redirect {
  const descriptor: RedirectDescriptor | undefined =
    number === undefined ? undefined : { type: 'FileDescriptor', pos, end: pos + 1, value: Number(number) };
  return {
    ...{ type: 'Redirect', pos, end: target.end },
    ...{ operator: operator as RedirectOperator, descriptor, target },
  };
}

/** `NAME=value`; unclear for other words with a `=`, such as `NAME+=value`. */
function assignmentOf({ text, pos, end }: Word, script: string): Assignment | 'unclear' | null {
  if (!text.includes('=') || text.startsWith('-')) return null;
  const [, name] = /^([A-Za-z_]\w*)=/.exec(text) ?? [];
  if (name === undefined) return 'unclear';
  const empty: Word = { type: 'Word', text: '', pos: end, end, value: '', parts: undefined };
  const value = text.length === name.length + 1 ? empty : wordAt(script, pos + name.length + 1);
  if (value === null) return 'unclear';
  return { type: 'Assignment', pos, end, text, name, append: undefined, index: undefined, value };
}

/** As in the parser, JSON of a command leaves out what is computed from it. */
class PlainCommand implements Command {
  readonly type = 'Command';
  readonly pos: number;
  readonly end: number;
  readonly name: Command['name'];
  readonly prefix: Command['prefix'];
  readonly suffix: Command['suffix'];

  constructor({
    pos,
    end,
    name,
    prefix,
    suffix,
  }: Pick<Command, 'pos' | 'end' | 'name' | 'prefix' | 'suffix'>) {
    this.pos = pos;
    this.end = end;
    this.name = name;
    this.prefix = prefix;
    this.suffix = suffix;
  }

  get args(): Command['args'] {
    return this.suffix.filter((part) => part.type === 'Word' || part.type === 'Assignment');
  }

  get redirects(): Command['redirects'] {
    const parts = [...this.prefix, ...this.suffix];
    return parts.filter((part) => part.type !== 'Word' && part.type !== 'Assignment');
  }
}

/** Null where no plain word begins. */
function wordAt(script: string, pos: number): Word | null {
  const parts: WordPart[] = [];
  let end = pos;
  for (let piece = matchAt(PIECE, script, end); piece !== null; piece = matchAt(PIECE, script, end)) {
    const [text, bare, glob, single, double, variable, braced] = piece;
    const place = { pos: end, end: end + text.length };
    if (bare !== undefined)
      parts.push({ type: 'Literal', ...place, value: bare.replace(/\\(.)/gs, '$1'), text });
    else if (glob !== undefined)
      parts.push({ type: 'Glob', kind: glob !== '?' ? 'star' : 'question', ...place, text, value: text });
    else if (single !== undefined)
      parts.push({ type: 'SingleQuoted', ...place, value: text.slice(1, -1), text });
    else {
      const inner = double !== undefined ? quotedParts(script, place) : null;
      const part =
        double !== undefined
          ? inner && { type: 'DoubleQuoted' as const, ...place, text, parts: inner }
          : expansionOf(script, variable, braced, place);
      if (part === null) return null;
      parts.push(part);
    }
    end = place.end;
  }
  if (parts.length === 0) return null;
  const isBare = parts.length === 1 && parts[0]!.type === 'Literal';
  const value = parts.map(textOf).join('');
  return { type: 'Word', text: script.slice(pos, end), pos, end, parts: isBare ? undefined : parts, value };
}

/** The parts between double quotes; null for a substitution that isn't plain. */
function quotedParts(script: string, { pos, end }: Place): DoubleQuotedChild[] | null {
  const parts: DoubleQuotedChild[] = [];
  let at = pos + 1;
  while (at < end - 1) {
    const [text, literal, variable, braced] = matchAt(IN_QUOTES, script, at)!;
    const place = { pos: at, end: at + text.length };
    const part: DoubleQuotedChild | null =
      literal === undefined
        ? expansionOf(script, variable, braced, place)
        : { type: 'Literal', ...place, value: text.replace(/\\(["\\$`])/g, '$1'), text };
    if (part === null) return null;
    parts.push(part);
    at = place.end;
  }
  return parts.length > 0 ? parts : [{ type: 'Literal', pos: at, end: at, value: '', text: '' }];
}

/** A variable, or a substitution; null for one that isn't plain. */
function expansionOf(
  script: string,
  simple: string | undefined,
  braced: string | undefined,
  { pos, end }: Place,
): DoubleQuotedChild | null {
  const text = script.slice(pos, end);
  if (simple !== undefined) return { type: 'SimpleExpansion', pos, end, text };
  if (braced === undefined) {
    // Cut at its end, so that all places stay those of the whole script.
    const inner = plainTree(script.slice(0, end - 1), pos + 2);
    return inner && { type: 'CommandExpansion', pos, end, text, script: inner };
  }
  const parameter = { parameter: braced, parameterPos: pos + 2, parameterEnd: end - 1 };
  const without = { prefix: undefined, index: undefined, operation: undefined };
  return { type: 'ParameterExpansion', pos, end, text, ...parameter, ...without };
}

function textOf(part: WordPart): string {
  if (part.type === 'DoubleQuoted') return part.parts.map(textOf).join('');
  return 'value' in part ? part.value : part.text;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function placeOf(nodes: readonly Place[]): Place {
  return { pos: nodes[0]!.pos, end: nodes.at(-1)!.end };
}
