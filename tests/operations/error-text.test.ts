import { describe, expect, it } from 'vitest';
import { KairosError } from '../../src/base/errors.ts';
import { errorText } from '../../src/operations/input.ts';

describe('an error as one line', () => {
  it.each([
    ['it is gone', 'Look again.', 'NOT_FOUND: it is gone. Look again.'],
    ['It is gone.', 'Look again.', 'NOT_FOUND: It is gone. Look again.'],
    ['it is gone', undefined, 'NOT_FOUND: it is gone'],
  ])('%s', (message, hint, text) => {
    const error = new KairosError('NOT_FOUND', message, hint === undefined ? {} : { hint });
    expect(errorText(error, (each) => each)).toBe(text);
    expect(errorText(error, () => 'redacted')).toBe('redacted');
  });
});
