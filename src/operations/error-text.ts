import { KairosError } from '../base/errors.ts';

/** An error as one line for a result of many: code first. What is not ours is rethrown. */
export function errorText(error: unknown): string {
  if (!(error instanceof KairosError)) throw error;
  return `${error.code}: ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`;
}
