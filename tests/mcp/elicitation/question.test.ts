import { describe, expect, it } from 'vitest';
import { questionIn } from '../../../src/mcp/elicitation/question.ts';
import { asksForUser, withoutEmptySampling } from '../../../src/operations/input.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';

const uri = 'kairos://mem/0';
const answer = (type: 'sampling' | 'user_input' | 'comment', over: Partial<RunFields> = {}): RunFields => ({
  must_obey: true,
  next_action: null,
  run_id: 'run',
  current_step: { uri, content: '', mimeType: 'text/markdown' },
  challenge: { type, description: '', nonce: '', proof_hash: '' },
  ...over,
});

describe('a call', () => {
  it.each([
    [{ type: 'user_input' }, true],
    [{ type: 'user_input', nonce: 'n', proof_hash: 'h' }, true],
    [{ type: 'user_input', user_input: {} }, true],
    [{ type: 'user_input', user_input: { confirmation: null } }, true],
    [{ type: 'user_input', user_input: { confirmation: '' } }, true],
    [{ type: 'user_input', user_input: { confirmation: 'approved' } }, false],
    [{ type: 'comment' }, false],
    [undefined, false],
  ])('with %j leaves the user to the server: %s', (solution, forUser) => {
    expect(asksForUser({ solution })).toBe(forUser);
    expect(asksForUser({ proof_of_work: solution })).toBe(forUser);
  });

  it('that declares only sampling declares no tools', () => {
    expect(withoutEmptySampling({ uri, run_id: 'r', solution: { type: 'sampling' } })).toEqual({
      uri,
      run_id: 'r',
    });
    expect(withoutEmptySampling({ uri, proof_of_work_result: { type: 'sampling', sampling: {} } })).toEqual({
      uri,
    });
    for (const solution of [
      { type: 'sampling', sampling: { result: null } },
      { type: 'comment' },
      'sampling',
    ]) {
      expect(withoutEmptySampling({ uri, solution })).toEqual({ uri, solution });
    }
  });
});

describe('an answer', () => {
  it.each([
    ['sampling', {}, 'sampling'],
    ['sampling', { error_code: 'MISSING_PROOF' }, 'sampling'],
    ['sampling', { error_code: 'SAMPLING_INVALID_OUTPUT' }, null],
    ['sampling', { error_code: 'OUT_OF_ORDER' }, null],
    ['sampling', { error_code: 'CONFLICT' }, null],
    ['sampling', { challenge: null }, null],
    ['sampling', { run_id: undefined }, null],
    ['user_input', {}, 'user_input'],
    ['user_input', { error_code: 'MISSING_PROOF' }, null],
    ['user_input', { error_code: 'PROPOSAL_REQUIRED' }, null],
    ['comment', {}, null],
  ] as const)('with a %s challenge and %j leaves %s to be asked', (type, over, asked) => {
    expect(questionIn(answer(type, over), { forUser: true })).toBe(asked);
  });

  it('leaves the user to the agent where the call did not ask for them', () => {
    expect(questionIn(answer('user_input'), { forUser: false })).toBeNull();
    expect(questionIn(answer('sampling'), { forUser: false })).toBe('sampling');
  });
});
