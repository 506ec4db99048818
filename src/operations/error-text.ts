import { KairosError } from '../base/errors.ts';

/**
 * An error as one line of a result for several items: code first. Rethrows errors that aren't kairos errors,
 * and store failures, because they don't belong to one item.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof KairosError)) throw error;
  if (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_DAMAGED') throw error;
  const text = `${error.code}: ${error.message}`;
  if (error.hint === undefined) return text;
  return `${text}${/[.!?:]$/.test(text) ? '' : '.'} ${error.hint}`;
}
