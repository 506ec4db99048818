import { parseJson } from '../../protocol/block/json.ts';

/**
 * Whether a message, with its text, submits a proposal with a duplicate key in one object. JSON.parse keeps
 * the last of two; a gate must not guess which one was meant (SPEC 7). Other calls are read as usual JSON.
 */
export function hasDoubledKeys(text: string, message: unknown): boolean {
  const messages = Array.isArray(message) ? message : [message];
  return messages.some(proposes) && parseJson(text)?.hasDuplicates === true;
}

/** The error for the caller. */
export const DOUBLED_KEYS = 'a key occurs twice in one object of this proposal: keep only one';

function proposes(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  return isObject(params) && params.name === 'kairos_propose';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
