import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Place } from '../model.ts';
import type { Locator, Path } from './value.ts';

/** Loaded only when something is wrong: the hot path knows no places inside a JSON text. */

type MakePlace = (start: number, end: number) => Place;

/** Finds values and keys of a valid JSON text. */
export function jsonLocator(text: string, place: MakePlace): Locator {
  const root = parseTree(text);
  const find = (path: Path): Node | undefined => {
    for (let length = path.length; root !== undefined && length >= 0; length -= 1) {
      const node = findNodeAtLocation(root, path.slice(0, length));
      if (node !== undefined) return node;
    }
    return root;
  };
  const placeOf = (node: Node | undefined): Place =>
    node === undefined ? place(0, text.length) : place(node.offset, node.offset + node.length);
  return {
    value: (path) => placeOf(find(path)),
    key: (path) => {
      const node = find(path);
      return placeOf(node?.parent?.type === 'property' ? node.parent.children?.[0] : node);
    },
  };
}

/** Every key that its object already has, with the path to it. */
export function duplicateKeys(text: string): { key: string; start: number; end: number }[] {
  const found: { key: string; start: number; end: number }[] = [];
  const pending = [parseTree(text)];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const seen = new Set<string>();
    for (const child of node.children ?? []) {
      if (child.type !== 'property') {
        pending.push(child);
        continue;
      }
      const [key, value] = child.children ?? [];
      if (key !== undefined && seen.has(key.value)) {
        found.push({ key: key.value, start: key.offset, end: key.offset + key.length });
      }
      seen.add(key?.value);
      if (value !== undefined) pending.push(value);
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Why a text isn't JSON, as a word that `describeProblem` knows. */
export type JsonFault =
  | 'comment'
  | 'trailing-comma'
  | 'curly-quote'
  | 'single-quote'
  | 'unquoted-key'
  | 'missing-comma'
  | 'unfinished'
  | 'line-break-in-string'
  | 'escape'
  | 'after-end'
  | 'empty'
  | 'syntax';

export interface JsonError {
  fault: JsonFault;
  start: number;
  end: number;
}

/** The first place at which a text stops being JSON. */
export function jsonError(text: string): JsonError {
  const errors: ParseError[] = [];
  parseTree(text, errors, { allowTrailingComma: false, disallowComments: true });
  const first = errors.sort((a, b) => a.offset - b.offset)[0];
  if (first === undefined) return { fault: 'syntax', start: 0, end: text.length };
  const start = Math.min(first.offset, text.length);
  const end = Math.min(Math.max(start + first.length, start + 1), text.length);
  return { fault: faultOf(text, first, start), start: Math.min(start, end), end };
}

function faultOf(text: string, { error }: ParseError, at: number): JsonFault {
  const char = text[at] ?? '';
  if (text.trim() === '') return 'empty';
  if (/[“”„]/.test(char)) return 'curly-quote';
  if (/['‘’]/.test(char)) return 'single-quote';
  switch (printParseErrorCode(error)) {
    case 'InvalidCommentToken':
    case 'UnexpectedEndOfComment':
      return 'comment';
    case 'CommaExpected':
      return at >= text.trimEnd().length ? 'unfinished' : 'missing-comma';
    case 'UnexpectedEndOfString':
      return 'line-break-in-string';
    case 'InvalidCharacter':
    case 'InvalidEscapeCharacter':
    case 'InvalidUnicode':
      return 'escape';
    case 'EndOfFileExpected':
      return 'after-end';
    default:
      return otherFault(text, at, char);
  }
}

function otherFault(text: string, at: number, char: string): JsonFault {
  if (at >= text.trimEnd().length) return 'unfinished';
  if ('}]'.includes(char) && /,\s*$/.test(text.slice(0, at))) return 'trailing-comma';
  if (/[A-Za-z_]/.test(char) && /[{,]\s*$/.test(text.slice(0, at))) return 'unquoted-key';
  if (char === '/' || char === '#') return 'comment';
  return 'syntax';
}
