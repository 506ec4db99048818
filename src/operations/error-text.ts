import { KairosError } from '../base/errors.ts';

/**
 * An error as one line for a result of many: code first. Rethrown is what is not ours, and what the store cannot do: that
 * is no answer about one item.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof KairosError)) throw error;
  if (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_DAMAGED') throw error;
  const text = `${error.code}: ${error.message}`;
  if (error.hint === undefined) return text;
  return `${text}${/[.!?:]$/.test(text) ? '' : '.'} ${error.hint}`;
}
