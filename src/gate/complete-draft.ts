import { isJsonObject, own } from '../proof/json-equal.ts';
import { isKernelRequest } from './kernel-request.ts';

/**
 * A draft with changes and additions: objects are merged key by key at every depth; any other value (an array
 * too) replaces the old one. A KernelRequest has its own fields and gets nothing from a draft.
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
