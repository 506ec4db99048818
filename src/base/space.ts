import { KairosError } from './errors.ts';

/** Names of spaces are part of every chain's identity. Returns the name, or throws INVALID_INPUT. */
export function checkSpace(space: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(space)) return space;
  throw new KairosError('INVALID_INPUT', `${JSON.stringify(space)} cannot be the name of a space`, {
    hint: 'Use letters, digits, dots, hyphens and underscores, at most 64 of them.',
  });
}
