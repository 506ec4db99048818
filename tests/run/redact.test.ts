import { expect, it } from 'vitest';
import { redactValue } from '../../src/operations/next.ts';

const redact = (text: string) => text.replaceAll('hush', '***');

it('takes secrets out of every text and key of a solution, and leaves what kairos gave out itself', () => {
  const solution = {
    nonce: 'hush',
    proof_hash: 'hush',
    sampling: { result: { nonce: 'hush', list: ['a hush', 1, null], hush: { proof_hash: 'hush' } } },
  };
  const clean = {
    nonce: 'hush',
    proof_hash: 'hush',
    sampling: { result: { nonce: '***', list: ['a ***', 1, null], '***': { proof_hash: '***' } } },
  };
  expect(redactValue(solution, redact)).toEqual(clean);
  expect(redactValue({ solution: { proof_of_work: solution } }, redact)).toEqual({
    solution: { proof_of_work: clean },
  });
  expect(redactValue([solution], redact)).toEqual([{ ...clean, nonce: '***', proof_hash: '***' }]);
  expect(redactValue({ nonce: { nonce: 'hush' } }, redact)).toEqual({ nonce: { nonce: '***' } });
  expect([redactValue('hush', redact), redactValue(7, redact)]).toEqual(['***', 7]);
});
