import { isJsonObject, own } from '../proof/json-equal.ts';
import { isKernelRequest } from './kernel-request.ts';

/**
 * A draft with what somebody changes or adds: objects are completed key by key at every depth, anything else (an array too)
 * stands as it is given. A KernelRequest has words of its own and takes nothing from a draft.
 */
export function completeDraft(
  draft: Readonly<Record<string, unknown>>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  return isKernelRequest(given) ? given : merge(draft, given);
}

function merge(
  draft: Readonly<Record<string, unknown>>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const merged: [string, unknown][] = Object.entries(given).map(([key, value]) => {
    const drafted = own(draft, key);
    return [key, isJsonObject(drafted) && isJsonObject(value) ? merge(drafted, value) : value];
  });
  const left = Object.entries(draft).filter(([key]) => !Object.hasOwn(given, key));
  return Object.fromEntries([...left, ...merged]);
}
