import { KairosError } from '../../../base/errors.ts';

/** A client's configuration that is left alone, and why. */
export function unusableConfig(file: string, reason: string): KairosError {
  return new KairosError('FILE_UNREADABLE', `${file} is left as it is: ${reason}`, {
    hint: 'Correct it by hand, or print what belongs into it with --print.',
  });
}
