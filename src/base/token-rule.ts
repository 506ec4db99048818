/**
 * The shape of a kind of secret. Two expressions are made from it: one finds the secret, the other finds the
 * beginning of one at the end of a text, which a stream must keep back until more text arrives.
 */
export type TokenPart =
  | { kind: 'text'; oneOf: readonly string[] }
  /** A run of characters; unlimited without `max`. */
  | { kind: 'run'; chars: string; min: number; max: number }
  | { kind: 'optional'; parts: readonly TokenPart[] };

export interface TokenShape {
  name: string;
  /** Precedes the secret and stays visible. */
  before?: readonly TokenPart[];
  secret: readonly TokenPart[];
  /** Follows the secret and stays visible. */
  after?: readonly TokenPart[];
  ignoreCase?: boolean;
}

export interface TokenRule {
  name: string;
  /** Global. Group 1 is what stays visible before, group 2 the secret. */
  whole: RegExp;
  /** Global. Matches from a place where the shape may begin to the end of the text. */
  beginning: RegExp;
  /** Sticky, when the secret ends in an unlimited run: one or more of its characters. */
  more: RegExp | null;
  /** The longest beginning that a stream must keep back. */
  reach: number;
}

export const literalPart = (...oneOf: string[]): TokenPart => ({ kind: 'text', oneOf });
/** `chars` is an expression for one character, a class with its brackets for example. */
export const run = (chars: string, min: number, max = Number.POSITIVE_INFINITY): TokenPart => ({
  kind: 'run',
  chars,
  min,
  max,
});
export const optional = (...parts: TokenPart[]): TokenPart => ({ kind: 'optional', parts });

/** An unlimited run must be the last part of a shape, so that the kept-back text stays short. */
export function compileRule(shape: TokenShape): TokenRule {
  const { name, before = [], secret, after = [] } = shape;
  const parts = [...before, ...secret, ...after];
  const last = parts.at(-1);
  const flags = shape.ignoreCase ? 'i' : '';
  return {
    name,
    whole: new RegExp(
      `(${before.map(whole).join('')})(${secret.map(whole).join('')})${after.map(whole).join('')}`,
      `g${flags}`,
    ),
    beginning: new RegExp(beginningOf(parts), `g${flags}`),
    more:
      last?.kind === 'run' && last.max === Number.POSITIVE_INFINITY
        ? new RegExp(`${last.chars}+`, `y${flags}`)
        : null,
    reach: parts.map(reach).reduce((sum, length) => sum + length, 0),
  };
}

function whole(part: TokenPart): string {
  switch (part.kind) {
    case 'text':
      return `(?:${part.oneOf.map(quote).join('|')})`;
    case 'run':
      return `${part.chars}{${part.min},${part.max === Number.POSITIVE_INFINITY ? '' : part.max}}`;
    case 'optional':
      return `(?:${part.parts.map(whole).join('')})?`;
  }
}

/** An expression for every proper beginning of what the parts match, up to the end of the text. */
function beginningOf(parts: readonly TokenPart[]): string {
  const [first, ...rest] = parts;
  if (first === undefined) return '(?!)';
  return `(?:${beginning(first)}|${whole(first)}${beginningOf(rest)})`;
}

function beginning(part: TokenPart): string {
  switch (part.kind) {
    case 'text':
      return `(?:${part.oneOf.map(textBeginning).join('|')})`;
    case 'run': {
      const most = part.max === Number.POSITIVE_INFINITY ? part.min - 1 : part.max;
      return most < 0 ? '(?!)' : `${part.chars}{0,${most}}$`;
    }
    case 'optional':
      return beginningOf(part.parts);
  }
}

/** `abc` gives `(?:$|a(?:$|b$))`. */
function textBeginning(literal: string): string {
  const [first, ...rest] = literal;
  return rest.length === 0 ? '$' : `(?:$|${quote(first as string)}${textBeginning(rest.join(''))})`;
}

function reach(part: TokenPart): number {
  switch (part.kind) {
    case 'text':
      return Math.max(...part.oneOf.map((literal) => literal.length));
    case 'run':
      return part.max === Number.POSITIVE_INFINITY ? part.min : part.max;
    case 'optional':
      return part.parts.map(reach).reduce((sum, length) => sum + length, 0);
  }
}

/** A literal as a part of an expression. */
export function quote(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
