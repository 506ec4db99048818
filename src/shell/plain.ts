import type { AndOr, Command, ParsedScript, Pipeline, Statement, Word } from 'unbash';

/** A word of letters that mean nothing to a shell, an operator between commands, or the end. */
const TOKEN = /[ \t]*(?:([\w./:@%+,-][\w./:@%+,=-]*)|(&&|\|\|?|;)|\n*$)/y;

/** Words that begin more than a simple command. */
const RESERVED = new Set(
  'if then elif else fi for while until do done case esac in select function time coproc'.split(' '),
);

/**
 * The syntax tree of plain commands: words without quotes, variables and patterns, in lists and pipes; null for all other scripts.
 * The parser would make the same tree. A hook needs no parser for most calls then, and loading one is slow.
 */
export function plainTree(script: string): ParsedScript | null {
  const tokens = tokensOf(script);
  if (tokens === null) return null;
  const { parts } = divided(tokens, [';']);
  const commands = parts.filter(({ length }) => length > 0).map(statementOf);
  return { type: 'Script', pos: 0, end: script.length, shebang: undefined, commands, errors: undefined };
}

interface Token {
  text: string;
  pos: number;
  end: number;
  isOperator: boolean;
}

/** Null for a script that has anything but plain commands. */
function tokensOf(script: string): Token[] | null {
  const tokens: Token[] = [];
  let isInCommand = false;
  TOKEN.lastIndex = 0;
  for (;;) {
    const found = TOKEN.exec(script);
    if (found === null) return null;
    const [, word, text = word] = found;
    if (text === undefined) break;
    const isOperator = word === undefined;
    // `NAME=value` may be an assignment.
    const isOther = isOperator ? !isInCommand : /^[^-].*=/.test(text) || (!isInCommand && RESERVED.has(text));
    if (isOther) return null;
    const end = TOKEN.lastIndex;
    tokens.push({ text, pos: end - text.length, end, isOperator });
    isInCommand = !isOperator;
  }
  return isInCommand || tokens.at(-1)?.text === ';' ? tokens : null;
}

function divided<Operator extends string>(tokens: readonly Token[], by: readonly Operator[]) {
  const parts: Token[][] = [[]];
  const operators: Operator[] = [];
  for (const token of tokens) {
    const operator = token.isOperator ? by.find((each) => each === token.text) : undefined;
    if (operator === undefined) parts.at(-1)!.push(token);
    else {
      operators.push(operator);
      parts.push([]);
    }
  }
  return { parts, operators };
}

function statementOf(tokens: readonly Token[]): Statement {
  const { parts, operators } = divided(tokens, ['&&', '||']);
  const commands = parts.map(pipelineOf);
  const list: AndOr = { type: 'AndOr', ...placeOf(commands), commands, operators };
  const command = commands.length > 1 ? list : commands[0]!;
  return { type: 'Statement', ...placeOf(commands), command, background: undefined };
}

function pipelineOf(tokens: readonly Token[]): Pipeline | Command {
  const { parts, operators } = divided(tokens, ['|']);
  const commands = parts.map(commandOf);
  const pipe: Pipeline = { type: 'Pipeline', ...placeOf(commands), prefixes: [], commands, operators };
  return commands.length > 1 ? pipe : commands[0]!;
}

function commandOf(tokens: readonly Token[]): Command {
  const [name, ...args] = tokens.map(
    ({ text, pos, end }): Word => ({ type: 'Word', text, pos, end, value: text, parts: undefined }),
  );
  return { type: 'Command', ...placeOf(tokens), name, prefix: [], suffix: args, args, redirects: [] };
}

function placeOf(nodes: readonly { pos: number; end: number }[]) {
  return { pos: nodes[0]!.pos, end: nodes.at(-1)!.end };
}
