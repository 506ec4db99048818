import { expect, it } from 'vitest';
import { isPassed } from '../../src/protocol/terms.ts';

it('passes what programs need, and nothing that could be a secret', () => {
  expect(['PATH', 'HOME', 'LC_ALL', 'https_proxy'].map(isPassed)).toEqual([true, true, true, true]);
  expect(['AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'LC', 'path'].map(isPassed)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
