import { parseJson } from '../../protocol/block/json.ts';

/**
 * Whether a message, whose text is at hand, hands a proposal in and has a key twice in one object. JSON.parse keeps the last
 * of two; a gate may not guess which of them was meant (SPEC 7). Other calls are read as everybody reads JSON.
 */
export function hasDoubledKeys(text: string, message: unknown): boolean {
  const messages = Array.isArray(message) ? message : [message];
  return messages.some(proposes) && parseJson(text)?.hasDuplicates === true;
}

/** For whoever is refused. */
export const DOUBLED_KEYS = 'a key stands twice in one object of this proposal: say once what is meant';

function proposes(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  return isObject(params) && params.name === 'kairos_propose';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
