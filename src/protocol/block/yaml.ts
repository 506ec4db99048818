import { isAlias, isMap, isPair, isScalar, isSeq, parseDocument, type Scalar } from 'yaml';
import { keptNumber } from '../../base/json.ts';
import type { Place } from '../model.ts';
import { MAX_NESTING } from '../terms.ts';
import type { Locator, Path } from './value.ts';

/** Loaded only when a document contains YAML that matters. */

/** Why a text is not the plain YAML that is read here, as a word that `describeProblem` knows. */
export type YamlFault =
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'merge-key'
  | 'duplicate-key'
  | 'key-not-text'
  | 'several-documents'
  | 'directive'
  | 'nesting'
  | 'syntax';

export interface YamlError {
  fault: YamlFault;
  /** The YAML parser's message, or the faulty key or name. */
  detail: string;
  start: number;
  end: number;
}

export type YamlReading = { value: unknown; locate: (place: MakePlace) => Locator } | { error: YamlError };
type MakePlace = (start: number, end: number) => Place;

/**
 * Reads YAML 1.2 (core schema) without aliases, anchors, tags, merge keys and directives: only what JSON can
 * express.
 */
export function readYaml(text: string): YamlReading {
  const deep = nestingAt(text);
  if (deep !== -1) return { error: { fault: 'nesting', detail: '', start: deep, end: deep } };
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) {
    const fault = error.code === 'MULTIPLE_DOCS' ? 'several-documents' : 'syntax';
    const [start, end] = error.pos;
    return { error: { fault, detail: firstLine(error.message), start, end: Math.max(start, end) } };
  }
  const directive = /^%.*/m.exec(text);
  if (directive !== null) {
    const start = directive.index;
    return { error: { fault: 'directive', detail: directive[0], start, end: start + directive[0].length } };
  }
  try {
    const value = plainValue(document.contents, [0, text.length]);
    return { value, locate: (place) => locator(document, text, place) };
  } catch (thrown) {
    if (thrown instanceof PlainError) return { error: thrown.error };
    throw thrown;
  }
}

/** Finds the values and keys of a text that is known to be YAML. */
export function readPlaces(text: string, place: MakePlace): Locator {
  return locator(parseDocument(text, { uniqueKeys: false, logLevel: 'error' }), text, place);
}

class PlainError extends Error {
  readonly error: YamlError;

  constructor(fault: YamlFault, detail: string, [start, end]: readonly number[]) {
    super(fault);
    this.error = { fault, detail, start: start!, end: end! };
  }
}

/** The value of a node. Recursive, but no deeper than `nestingAt` allows. */
function plainValue(node: unknown, around: readonly number[]): unknown {
  if (node === null || node === undefined) return null;
  const { anchor, tag, range } = node as { anchor?: string; tag?: string; range?: readonly number[] };
  const place = range ?? around;
  if (isAlias(node)) throw new PlainError('alias', node.source, place);
  if (anchor !== undefined) throw new PlainError('anchor', anchor, place);
  if (tag !== undefined) throw new PlainError('tag', tag, place);
  if (isScalar(node)) return scalarValue(node);
  if (isSeq(node)) return node.items.map((item) => plainValue(item, place));
  if (!isMap(node)) return null;
  const value: Record<string, unknown> = {};
  for (const pair of node.items) {
    const key = isPair(pair) ? keyOf(pair.key, place) : '';
    const keyPlace = rangeOf(pair.key) ?? place;
    if (key === '<<') throw new PlainError('merge-key', key, keyPlace);
    if (Object.hasOwn(value, key)) throw new PlainError('duplicate-key', key, keyPlace);
    Object.defineProperty(value, key, {
      value: plainValue(pair.value, keyPlace),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return value;
}

/** A number that would be read as another one is infinite, which no value of JSON is. */
function scalarValue({ value, source = '' }: Scalar): unknown {
  if (typeof value !== 'number' || !DECIMAL.test(source)) return value;
  return keptNumber(source) ?? Number.POSITIVE_INFINITY;
}

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

function keyOf(key: unknown, around: readonly number[]): string {
  const value = plainValue(key, around);
  if (typeof value === 'string') return value;
  throw new PlainError('key-not-text', String(value), rangeOf(key) ?? around);
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as { range?: readonly number[] } | null)?.range ?? undefined;
}

function locator(document: ReturnType<typeof parseDocument>, text: string, place: MakePlace): Locator {
  const whole: readonly number[] = [0, text.length];
  const find = (path: Path): { key: readonly number[]; value: readonly number[] } => {
    let node: unknown = document.contents;
    let found = { key: rangeOf(node) ?? whole, value: rangeOf(node) ?? whole };
    for (const part of path) {
      const pair = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && key.value === part)
        : undefined;
      const next: unknown = isSeq(node) ? node.items[Number(part)] : pair?.value;
      if (pair === undefined && next === undefined) return found;
      const key = rangeOf(pair?.key) ?? rangeOf(next) ?? found.value;
      found = { key, value: rangeOf(next) ?? key };
      node = next;
    }
    return found;
  };
  const toPlace = ([start, end]: readonly number[]): Place => place(start!, end!);
  return { value: (path) => toPlace(find(path).value), key: (path) => toPlace(find(path).key) };
}

/**
 * Where YAML gets too deep for the parser, which is recursive; -1 if it doesn't. Counts brackets, markers at
 * the beginning of a line, and lines that are indented more than their parent; strings are not recognised.
 */
function nestingAt(text: string): number {
  let brackets = 0;
  const indents: number[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    let at = start;
    let markers = 0;
    while (at < end && ' \t-?:'.includes(text[at]!)) {
      if (text[at] !== ' ' && text[at] !== '\t' && (at + 1 === end || ' \t'.includes(text[at + 1]!)))
        markers += 1;
      at += 1;
    }
    if (at < end) {
      const indent = at - start;
      while (indents.length > 0 && indents.at(-1)! >= indent) indents.pop();
      indents.push(indent);
    }
    for (; at < end; at += 1) {
      const char = text[at]!;
      if (char === '[' || char === '{') brackets += 1;
      else if ((char === ']' || char === '}') && brackets > 0) brackets -= 1;
      if (brackets + markers + indents.length > MAX_NESTING + 1) return at;
    }
    if (brackets + markers + indents.length > MAX_NESTING + 1) return end;
    start = end + 1;
  }
  return -1;
}

function firstLine(message: string): string {
  return message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
}
