import { hiddenIn, type InvisibleCharacter, invisibleIn, type Use } from '../invisible.ts';
import { isObject, type Path } from './value.ts';

/** A hidden character in a text of a step block; `at` counts units of the parsed text. */
export interface InBlock extends InvisibleCharacter {
  /** Leads to the text, or to the value of the key that is it. */
  path: Path;
  isKey: boolean;
}

/** Keys of texts that people read, or that a tool gets as data; all others are obeyed to the letter. */
const MESSAGES = new Set([
  ...['prompt', 'choices', 'system', 'title', 'description'],
  ...['arguments', 'expected_result', 'equals'],
]);

/** What shows nothing in the keys and texts of a step block's value, in their order. */
export function invisibleInBlock(value: unknown): InBlock[] {
  const found: InBlock[] = [];
  look(value, [], 'exact', found);
  return found;
}

/** Recursive, but no deeper than a step block may be. */
function look(value: unknown, path: Path, use: Use, found: InBlock[]): void {
  if (typeof value === 'string') collect(value, path, use, false, found);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(item, [...path, index], use, found);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const at = [...path, key];
      collect(key, at, 'exact', true, found);
      look(item, at, MESSAGES.has(key) ? 'message' : use, found);
    }
  }
}

function collect(text: string, path: Path, use: Use, isKey: boolean, found: InBlock[]): void {
  for (const character of [...hiddenIn(text), ...invisibleIn(text, use)]) {
    found.push({ ...character, path, isKey });
  }
}
