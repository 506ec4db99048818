import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import type { SamplingDemand } from '../../src/proof/demand.ts';
import { loadTools } from '../../src/proof/tools.ts';
import { validateSolution } from '../../src/proof/validate.ts';
import { runs } from '../support/thorough.ts';
import { NO_FACTS } from './support.ts';

const tools = await loadTools({ patterns: false, schemas: true });
const PERSON = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 }, age: { type: 'integer' } },
  required: ['name'],
  additionalProperties: false,
};

function demand(output_schema: Record<string, unknown>): SamplingDemand {
  return {
    type: 'sampling',
    required: true,
    sampling: {
      system: 's',
      prompt: 'p',
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 10,
      output_schema,
    } as SamplingDemand['sampling'],
  };
}

function judge(output_schema: Record<string, unknown>, sampling: unknown) {
  const solution = { type: 'sampling', nonce: 'n', proof_hash: 'h', sampling };
  return validateSolution(demand(output_schema), solution, NO_FACTS, tools);
}

function refused(message: string, violations?: unknown) {
  return {
    ok: false,
    code: 'SAMPLING_INVALID_OUTPUT',
    message,
    ...(violations === undefined ? {} : { violations }),
  };
}

describe('what a model answered', () => {
  test.each([
    ['an object', PERSON, { age: 7, name: 'Ada' }, '{"age":7,"name":"Ada"}'],
    ['its text', PERSON, ' {"name": "Ada"}\n', '{"name":"Ada"}'],
    ['its text in a fence', PERSON, '```json\n{"name": "Ada"}\n```\n', '{"name":"Ada"}'],
    ['a fence, where the schema asks for text', { type: 'string' }, '```\n5\n```', '"```\\n5\\n```"'],
    ['null', { type: 'null' }, null, 'null'],
    [
      'a text, where the schema asks for one',
      { type: 'string' },
      '{"name": "Ada"}',
      '"{\\"name\\": \\"Ada\\"}"',
    ],
    ['the number in a text', { type: 'number' }, '5', '5'],
    ['a text that is as well a number', { type: ['string', 'number'] }, '5', '"5"'],
  ])('is accepted: %s', (_, schema, result, result_json) => {
    expect(judge(schema, { result })).toEqual({ ok: true, proof: { result_json } });
  });

  test.each([[undefined], [null], ['{"name": "Ada"}'], [{}], [[1]], [Object.create({ result: 1 })]])(
    'is missing in %j',
    (payload) => {
      expect(judge(PERSON, payload)).toEqual({
        ok: false,
        code: 'MISSING_FIELD',
        message:
          'solution.sampling.result is missing: it must be what the model answered, as a JSON value or as its text.',
      });
    },
  );

  test('is refused with every place that is wrong, missing and surplus members included', () => {
    const message =
      'solution.sampling.result does not satisfy challenge.sampling.output_schema: 3 places are wrong, see violations.';
    expect(judge(PERSON, { result: { 'na/me~': 'Ada', age: 'seven' } })).toEqual(
      refused(message, [
        { pointer: '/name', keyword: 'required' },
        { pointer: '/na~1me~0', keyword: 'additionalProperties' },
        { pointer: '/age', keyword: 'type' },
      ]),
    );
    expect(judge(PERSON, { result: 'Her name is Ada.' })).toEqual(
      refused(
        'solution.sampling.result does not satisfy challenge.sampling.output_schema: 1 place is wrong, see violations.',
        [{ pointer: '', keyword: 'type' }],
      ),
    );
  });

  test('is listed up to 256 places, and further ones are counted', () => {
    const verdict = judge({ items: { type: 'string' } }, { result: new Array(300).fill(1) });
    expect(verdict).toMatchObject({
      message:
        'solution.sampling.result does not satisfy challenge.sampling.output_schema: 300 places are wrong, see violations. The first 256 are listed.',
    });
    expect(verdict).toHaveProperty('violations.length', 256);
  });

  test('is refused where its text could be read in two ways or cannot be kept unchanged', () => {
    expect(judge(PERSON, { result: '{"name": "Ada", "name": "Bob"}' })).toEqual(
      refused(
        'The text of solution.sampling.result contains a key twice in one object, so its meaning is unclear.',
      ),
    );
    expect(judge({ type: 'array' }, { result: '['.repeat(100_000) })).toEqual(
      refused('The text of solution.sampling.result nests deeper than 64.'),
    );
    for (const result of [{ n: 2 ** 53 }, '{"n": 1e999}', { n: '\ud800' }]) {
      expect(judge({ type: 'object' }, { result })).toMatchObject({
        code: 'SAMPLING_INVALID_OUTPUT',
        violations: [{ pointer: '/n', keyword: 'value' }],
      });
    }
  });

  test.each([
    [{ type: 'wish' }],
    [{ $ref: 'https://example.org/x' }],
    [{ pattern: '(?=a)', type: 'string' }],
  ])('never passes a schema that cannot be used: %j', (schema) => {
    expect(judge(schema, { result: 'a' })).toEqual(
      refused(
        'The output_schema of this step is not a JSON Schema of 2020-12 that can be used, so nothing satisfies it: the step has to be updated.',
      ),
    );
  });
});

describe('for any value', () => {
  const schema = fc.constantFrom<Record<string, unknown>>(
    PERSON,
    { type: ['object', 'array', 'number'] },
    { not: { type: 'string' } },
  );

  test('its text is accepted exactly where the value is, and kept as the same', () => {
    fc.assert(
      fc.property(schema, fc.jsonValue({ maxDepth: 3 }), (known, value) => {
        fc.pre(typeof value !== 'string');
        const given = judge(known, { result: value });
        expect(judge(known, { result: JSON.stringify(value) })).toEqual(given);
        if (given.ok) expect(given.proof).toEqual({ result_json: canonical(value) });
      }),
    );
  });

  test('it is total and pure, and its message quotes neither author nor answer', () => {
    const marked = fc.dictionary(
      fc.constantFrom('name', 'ANSWER'),
      fc.constantFrom<unknown>('ANSWER', 1, null),
    );
    const known = { properties: { AUTHOR: { const: 'AUTHOR' } }, required: ['AUTHOR'], maxProperties: 0 };
    fc.assert(
      fc.property(fc.oneof(fc.anything(), marked, fc.json()), (result) => {
        const verdict = judge(known, { result });
        expect(judge(known, { result })).toEqual(verdict);
        if (!verdict.ok) expect(verdict.message).not.toMatch(/AUTHOR|ANSWER/);
      }),
      { numRuns: runs(300) },
    );
  });
});
