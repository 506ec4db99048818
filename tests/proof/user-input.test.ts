import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadTools } from '../../src/proof/tools.ts';
import { isRefusal, validateUserInput } from '../../src/proof/validate.ts';
import type { ProofOfWork } from '../../src/protocol/schema.ts';
import { NO_FACTS } from './support.ts';

type Definition = Extract<ProofOfWork, { type: 'user_input' }>['user_input'];
const tools = await loadTools({ patterns: true, schemas: false });

function judge(confirmation: unknown, definition: Partial<Definition> = {}) {
  const user_input: Definition = { prompt: 'Go on?', ...definition };
  const demand = { type: 'user_input' as const, required: true, user_input };
  return validateUserInput(demand, { confirmation }, NO_FACTS, tools);
}

describe('validateUserInput', () => {
  test('keeps the answer without surrounding white space, and the time that came with it', () => {
    const demand = { type: 'user_input' as const, required: true, user_input: { prompt: 'Go on?' } };
    const payload = { confirmation: '  Yes, approved.\n', timestamp: '2026-01-02T03:04:05Z', by: 'me' };
    expect(validateUserInput(demand, payload, NO_FACTS, tools)).toEqual({
      ok: true,
      proof: { confirmation: 'Yes, approved.', timestamp: '2026-01-02T03:04:05Z' },
    });
    expect(validateUserInput(demand, { ...payload, timestamp: 5 }, NO_FACTS, tools)).toEqual({
      ok: false,
      code: 'MISSING_FIELD',
      message: 'solution.user_input.timestamp must be a string (RFC 3339), or left out.',
    });
    expect(validateUserInput(demand, 'yes', NO_FACTS, tools)).toEqual({
      ok: false,
      code: 'MISSING_FIELD',
      message: 'solution.user_input is missing: it must be an object with confirmation.',
    });
  });

  test.each([[''], ['  \n'], ['\u200b'], ['\u00ad\u2060 '], [undefined], [true]])(
    'MISSING_FIELD for the answer %j',
    (confirmation) => {
      expect(judge(confirmation)).toEqual({
        ok: false,
        code: 'MISSING_FIELD',
        message: "solution.user_input.confirmation must be the user's own reply, a string that is not blank.",
      });
    },
  );

  test.each([
    ['rejected'],
    ['Rejected.'],
    [' DECLINED '],
    ['cancel'],
    ['decline'],
    ['“cancelled”'],
    ['ｃａｎｃｅｌ'],
  ])('USER_DECLINED for the answer %j', (confirmation) => {
    expect(judge(confirmation)).toEqual({
      ok: false,
      code: 'USER_DECLINED',
      message: 'The user has declined this step.',
    });
  });

  test('a sentence about declining is an answer', () => {
    expect(judge('cancel the second booking')).toMatchObject({ ok: true });
    expect(judge('no')).toMatchObject({ ok: true });
  });

  test('a choice may be a verb of refusal, never the refusal itself', () => {
    const choices = ['keep', 'cancel', 'rejected'];
    expect(judge('cancel', { choices })).toEqual({ ok: true, proof: { confirmation: 'cancel' } });
    expect(judge('rejected', { choices })).toMatchObject({ code: 'USER_DECLINED' });
    expect(judge('decline', { choices })).toMatchObject({ code: 'USER_DECLINED' });
  });

  test('an answer outside the choices is refused without being quoted', () => {
    expect(judge('secret answer', { choices: ['blue', 'green'] })).toEqual({
      ok: false,
      code: 'MISSING_FIELD',
      message: 'solution.user_input.confirmation must be exactly one of challenge.user_input.choices.',
    });
    expect(judge('Blue', { choices: ['blue'] }).ok).toBe(false);
    expect(judge(' blue ', { choices: ['blue '] })).toEqual({ ok: true, proof: { confirmation: 'blue ' } });
  });

  test('the pattern matches the whole answer', () => {
    const pattern = String.raw`v\d+`;
    expect(judge('v12', { pattern })).toMatchObject({ ok: true });
    for (const answer of ['v12 please', 'av12', 'v12\nv13']) {
      expect(judge(answer, { pattern })).toEqual({
        ok: false,
        code: 'MISSING_FIELD',
        message: 'solution.user_input.confirmation must match challenge.user_input.pattern as a whole.',
      });
    }
    expect(judge('v1', { pattern: '(' }).ok).toBe(false);
  });

  test('choices and pattern apply together', () => {
    expect(judge('v1', { choices: ['v1', 'w1'], pattern: 'v.' })).toMatchObject({ ok: true });
    expect(judge('w1', { choices: ['v1', 'w1'], pattern: 'v.' }).ok).toBe(false);
  });

  test('with choices, only a choice passes', () => {
    const choices = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(choices, fc.string(), (declared, answer) => {
        const verdict = judge(answer, { choices: declared });
        if (verdict.ok) expect(declared).toContain(verdict.proof.confirmation);
        const isOne = declared.some((choice) => choice.trim() === answer.trim());
        expect(verdict.ok).toBe(isOne && answer.trim() !== '' && !isRefusal(answer, true));
      }),
      { numRuns: 200 },
    );
  });
});
