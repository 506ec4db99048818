import { isExact } from '../../base/kept-number.ts';
import { pointerTo, type Violation } from '../violation.ts';
import {
  BAD_NUMBER,
  BAD_TEXT,
  isPlainKey,
  isPlainText,
  MAX_BYTES,
  MAX_DEPTH,
  READ_MESSAGES,
  type ReadCode,
  TOO_DEEP,
  TOO_LARGE,
  UNREADABLE,
} from './limits.ts';

/**
 * Checks a value that was already parsed (a tool's argument) like `readJsonStrictly`. Duplicate keys of its
 * text are no longer visible. Never throws; reads no further than the limits.
 */
export function checkJsonValue(value: unknown): Violation[] {
  const found: Violation[] = [];
  const tell = (code: ReadCode, pointer: string) =>
    found.push({ code, pointer, message: READ_MESSAGES[code] });
  let bytes = 0;
  const visit = (item: unknown, pointer: string, depth: number): void => {
    if (bytes > MAX_BYTES) return;
    if (typeof item === 'string') {
      bytes += Buffer.byteLength(item);
      if (!isPlainText(item)) tell(BAD_TEXT, pointer);
    } else if (typeof item === 'number') {
      bytes += 1;
      if (!isExact(item)) tell(BAD_NUMBER, pointer);
    } else if (item !== null && typeof item === 'object') {
      bytes += 2;
      if (depth >= MAX_DEPTH) tell(TOO_DEEP, pointer);
      else if (Array.isArray(item))
        for (const [at, part] of item.entries()) visit(part, pointerTo(pointer, at), depth + 1);
      else {
        for (const [key, part] of Object.entries(item)) {
          bytes += Buffer.byteLength(key);
          if (!isPlainKey(key)) tell(BAD_TEXT, pointerTo(pointer, key));
          visit(part, pointerTo(pointer, key), depth + 1);
        }
      }
    } else if (item !== null && typeof item !== 'boolean') {
      tell(UNREADABLE, pointer);
    }
  };
  visit(value, '', 0);
  if (found.length === 0 && byteLength(value) > MAX_BYTES) tell(TOO_LARGE, '');
  return found;
}

/** Only of what was found to be JSON within the limits of depth. */
function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
