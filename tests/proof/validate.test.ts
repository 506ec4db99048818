import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSolution } from '../../src/proof/solution.ts';
import { loadTools } from '../../src/proof/tools.ts';
import { validateSolution } from '../../src/proof/validate.ts';
import type { ProofOfWork } from '../../src/protocol/schema.ts';

const tools = await loadTools({ patterns: true, schemas: true });

/** Author's text in every place that can hold it. */
const AUTHOR = 'AUTHORTEXT';
const facts = { stepText: `${AUTHOR} step`, previousComment: `${AUTHOR} comment` };
const DEMANDS: ProofOfWork[] = [
  {
    type: 'shell',
    required: true,
    shell: { cmd: AUTHOR, timeout_seconds: 5, expect_exit_code: 0, stdout_matches: AUTHOR },
  },
  {
    type: 'mcp',
    required: true,
    mcp: {
      tool_name: AUTHOR,
      arguments: { [AUTHOR]: AUTHOR },
      expected_result: { [AUTHOR]: AUTHOR },
      result_schema: { required: [AUTHOR], properties: { [AUTHOR]: { pattern: AUTHOR } } },
    },
  },
  {
    type: 'user_input',
    required: true,
    user_input: { prompt: AUTHOR, choices: [AUTHOR, `${AUTHOR}2`], pattern: AUTHOR },
  },
  { type: 'comment', required: true, comment: { min_length: 10 } },
];
const demand = fc.constantFrom(...DEMANDS);

/** Values near to what a validator takes, so that every branch is met. */
const near = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(AUTHOR, 'ANSWERTEXT', true, 0, 1, 99, { [AUTHOR]: AUTHOR }, { [AUTHOR]: 'ANSWERTEXT' }),
);
const field = fc.constantFrom(
  ...['exit_code', 'stdout', 'duration_seconds', 'timed_out', 'tool_name', 'arguments', 'result', 'success'],
  ...['confirmation', 'timestamp', 'text'],
);
const payload = fc.oneof(fc.dictionary(field, near), near);
const solution = fc
  .tuple(demand, payload)
  .map(([{ type }, value]) => readSolution({ type, nonce: 'n', proof_hash: 'h', [type]: value }).solution);

describe('validateSolution', () => {
  test('the type comes first', () => {
    for (const known of DEMANDS) {
      const typeless = readSolution({ nonce: 'n' }).solution;
      expect(validateSolution(known, typeless, facts, tools)).toEqual({
        ok: false,
        code: 'MISSING_FIELD',
        message: `solution.type is missing: it must be "${known.type}".`,
      });
      const other = readSolution({ type: 'ANSWERTEXT', shell: {}, comment: {} }).solution;
      expect(validateSolution(known, other, facts, tools)).toEqual({
        ok: false,
        code: 'TYPE_MISMATCH',
        message: `solution.type must be "${known.type}".`,
      });
    }
  });

  test('is total and pure, and no refusal quotes author or answer', () => {
    fc.assert(
      fc.property(demand, solution, (known, given) => {
        const verdict = validateSolution(known, given, facts, tools);
        expect(validateSolution(known, given, facts, tools)).toEqual(verdict);
        if (!verdict.ok) expect(verdict.message).not.toMatch(/AUTHOR|ANSWER/);
      }),
      { numRuns: 500 },
    );
  });

  test('a solution of another type never passes', () => {
    fc.assert(
      fc.property(demand, solution, (known, given) => {
        const verdict = validateSolution(known, given, facts, tools);
        if (given.type !== known.type) expect(verdict).toMatchObject({ ok: false, code: 'TYPE_MISMATCH' });
      }),
      { numRuns: 200 },
    );
  });

  test('after one correction that the message asks for, each type passes', () => {
    const good: Record<string, unknown> = {
      shell: { exit_code: 0, stdout: `x ${AUTHOR} y` },
      mcp: {
        tool_name: AUTHOR,
        arguments: { [AUTHOR]: AUTHOR },
        result: { [AUTHOR]: AUTHOR, more: 1 },
        success: true,
      },
      user_input: { confirmation: AUTHOR },
      comment: { text: 'Looked at the three reports and filed one bug.' },
    };
    for (const known of DEMANDS) {
      const { solution: given } = readSolution({ type: known.type, [known.type]: good[known.type] });
      expect(validateSolution(known, given, facts, tools)).toMatchObject({ ok: true });
    }
  });
});
