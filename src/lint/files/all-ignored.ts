import { KairosError } from '../../base/errors.ts';

/** Nothing was checked where something was asked for: that must not look like success. */
export function allIgnored(what: string, count: number): KairosError {
  return new KairosError('USAGE', `${what} (${count}) is ignored`, {
    hint: 'See .gitignore, .kairosignore and lint.ignore of the configuration, or name other files.',
  });
}
