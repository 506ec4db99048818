import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONVERSION_NOTES, isPlaceholder, readSolution } from '../../src/proof/solution.ts';

const bound = { nonce: '0'.repeat(32), proof_hash: 'a'.repeat(64) };
const shell = { type: 'shell', ...bound, shell: { exit_code: 0, stdout: 'hi' } };

describe('readSolution', () => {
  test('accepts the present form unchanged', () => {
    expect(readSolution(shell)).toEqual({ solution: shell, converted: [], problems: [] });
  });

  test('converts the flat shell result of old, which has neither type nor nonce', () => {
    const flat = {
      uri: 'kairos://mem/95e58776-942a-41dc-9b03-b2fc45edabd1',
      exit_code: 0,
      stdout: 'out',
      stderr: '',
      duration_seconds: 1.5,
      executed_at: '2025-01-29T00:00:00Z',
    };
    expect(readSolution(flat)).toEqual({
      solution: {
        type: 'shell',
        nonce: null,
        proof_hash: null,
        shell: { exit_code: 0, stdout: 'out', stderr: '', duration_seconds: 1.5 },
      },
      converted: [CONVERSION_NOTES.flatShell],
      problems: [],
    });
  });

  test('keeps type, nonce and proof_hash of a flat shell result that has them', () => {
    expect(readSolution({ type: 'shell', ...bound, exit_code: 3 })).toEqual({
      solution: { type: 'shell', ...bound, shell: { exit_code: 3 } },
      converted: [CONVERSION_NOTES.flatShell],
      problems: [],
    });
  });

  test.each([
    [{ type: 'user_input', confirmation: 'yes' }, { user_input: { confirmation: 'yes' } }, 'flatUserInput'],
    [{ type: 'user_input', response: 'yes' }, { user_input: { response: 'yes' } }, 'flatUserInput'],
    [{ type: 'user_input', user_input: 'yes' }, { user_input: { confirmation: 'yes' } }, 'flatUserInput'],
    [{ type: 'comment', text: 'Done so.' }, { comment: { text: 'Done so.' } }, 'flatComment'],
    [{ type: 'comment', comment: 'Done so.' }, { comment: { text: 'Done so.' } }, 'flatComment'],
    [{ type: 'sampling', result: { parts: 3 } }, { sampling: { result: { parts: 3 } } }, 'flatSampling'],
    [
      { tool_name: 't', result: 1, success: true },
      { type: 'mcp', mcp: { tool_name: 't', result: 1, success: true } },
      'flatMcp',
    ],
  ] as const)('converts the flat form %j', (flat, read, note) => {
    expect(readSolution({ ...flat, ...bound })).toEqual({
      solution: { ...('type' in flat ? { type: flat.type } : {}), ...bound, ...read },
      converted: [CONVERSION_NOTES[note]],
      problems: [],
    });
  });

  test.each([
    [{ parts: 3 }, { result: { parts: 3 } }],
    [
      { result: { parts: 3 }, more: 1 },
      { result: { parts: 3 }, more: 1 },
    ],
    [{ parts: null, more: '' }, { parts: null }],
  ])('reads what a model answered, %j, with or without the name around it', (sampling, read) => {
    expect(readSolution({ type: 'sampling', ...bound, sampling }).solution.sampling).toEqual(read);
  });

  test.each([
    [
      'shell',
      { exit_code: '0', duration_seconds: ' 1.5 ', stdout: '7' },
      { exit_code: 0, duration_seconds: 1.5, stdout: '7' },
    ],
    ['shell', { exit_code: 'zero' }, { exit_code: 'zero' }],
    ['mcp', { tool_name: 't', result: '5', success: 'True' }, { tool_name: 't', result: '5', success: true }],
    ['user_input', { confirmation: 3 }, { confirmation: '3' }],
  ])('reads numbers and switches of %s that came as %j', (type, payload, read) => {
    expect(readSolution({ type, ...bound, [type]: payload }).solution).toMatchObject({ [type]: read });
  });

  test('infers a missing type from the only type object', () => {
    const { type: _, ...typeless } = shell;
    expect(readSolution(typeless)).toEqual({
      solution: shell,
      converted: [CONVERSION_NOTES.missingType],
      problems: [],
    });
  });

  test('infers no type from two type objects, nor from one that is not an object', () => {
    for (const payloads of [{ shell: {}, comment: {} }, { comment: 'text' }]) {
      expect(readSolution({ ...bound, ...payloads })).toEqual({
        solution: { type: null, ...bound, ...payloads },
        converted: [],
        problems: [],
      });
    }
  });

  test.each([
    ['JSON text', JSON.stringify(shell), []],
    ['proof_of_work', { proof_of_work: shell }, [CONVERSION_NOTES.wrapped]],
    ['solution', { solution: shell }, [CONVERSION_NOTES.wrapped]],
    ['proof_of_work_result', { proof_of_work_result: shell }, [CONVERSION_NOTES.wrapped]],
    [
      'a wrapper in JSON text around JSON text',
      JSON.stringify({ solution: JSON.stringify(shell) }),
      [CONVERSION_NOTES.wrapped],
    ],
  ])('unwraps %s', (_, raw, converted) => {
    expect(readSolution(raw)).toEqual({ solution: shell, converted, problems: [] });
  });

  test('uses nonce and proof_hash of the wrapper when the inside has none', () => {
    expect(readSolution({ ...bound, proof_of_work: { exit_code: 0 } })).toEqual({
      solution: { type: 'shell', ...bound, shell: { exit_code: 0 } },
      converted: [CONVERSION_NOTES.wrapped, CONVERSION_NOTES.flatShell],
      problems: [],
    });
  });

  test('does not open a solution that is one already', () => {
    const odd = { ...shell, solution: { type: 'comment', comment: { text: 'other' } } };
    expect(readSolution(odd).solution).toEqual(shell);
  });

  test.each([
    ['a number', 7],
    ['null', null],
    ['a list of several', [{ type: 'shell' }, { type: 'shell' }]],
    ['an empty list', []],
    ['text that is no JSON', 'exit code 0'],
    ['JSON text of a number', '7'],
  ])('reports that it cannot read %s', (_, raw) => {
    expect(readSolution(raw)).toEqual({
      solution: { type: null, nonce: null, proof_hash: null },
      converted: [],
      problems: [
        {
          code: 'MISSING_FIELD',
          message:
            'The solution must be an object: {type, nonce, proof_hash} and the object that the type names.',
        },
      ],
    });
  });

  test('rejects nesting deeper than 64 levels, in any form', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    const text = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    for (const raw of [{ ...shell, shell: deep }, text]) {
      expect(readSolution(raw).problems.map(({ code }) => code)).toEqual(['MISSING_FIELD']);
    }
  });

  test('leaves fields of a wrong kind to the validators, and a non-string nonce out', () => {
    expect(readSolution({ type: 'shell', nonce: 5, proof_hash: null, shell: 'exit 0' }).solution).toEqual({
      type: 'shell',
      nonce: null,
      proof_hash: null,
      shell: 'exit 0',
    });
  });

  test('ignores keys of the prototype', () => {
    const raw = JSON.parse('{"__proto__": {"type": "shell", "nonce": "x"}, "constructor": {"exit_code": 0}}');
    expect(readSolution(raw).solution).toEqual({ type: null, nonce: null, proof_hash: null });
  });

  test('never throws, and always answers in one shape', () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        const { solution } = readSolution(raw);
        for (const key of ['type', 'nonce', 'proof_hash'] as const) {
          expect(solution[key] === null || typeof solution[key] === 'string').toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('reads the same out of every wrapping', () => {
    // Null and the empty text count as absent.
    const value = fc.jsonValue().filter((one) => one !== null && one !== '');
    const payload = fc.dictionary(fc.string(), value, { maxKeys: 3 });
    const wrapping = fc.constantFrom<(value: unknown) => unknown>(
      (value) => JSON.stringify(value),
      (value) => ({ solution: value }),
      (value) => ({ proof_of_work: value }),
    );
    fc.assert(
      fc.property(payload, fc.array(wrapping, { maxLength: 3 }), (comment, wrappings) => {
        const plain = JSON.parse(JSON.stringify({ type: 'comment', ...bound, comment }));
        const raw = wrappings.reduce((value, wrap) => wrap(value), plain);
        expect(readSolution(raw).solution).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });
});

test('reads arguments as JSON text, and drops fields that are only filled', () => {
  const solution = {
    type: 'mcp',
    ...bound,
    mcp: { tool_name: 't', arguments: '{"a": 1}', result: '', success: true },
    comment: { text: '' },
  };
  expect(readSolution(solution).solution).toEqual({
    ...solution,
    mcp: { tool_name: 't', arguments: { a: 1 }, result: '', success: true },
    comment: {},
  });
  expect(
    readSolution({ type: 'shell', ...bound, shell: { exit_code: null, stdout: '' } }).solution.shell,
  ).toEqual({ stdout: '' });
});

describe('isPlaceholder', () => {
  test.each([
    [true, { type: 'user_input' }],
    [true, { type: 'user_input', user_input: {} }],
    [true, { type: 'user_input', user_input: { confirmation: null } }],
    [true, { user_input: {} }],
    [true, { type: 'user_input', user_input: { confirmation: '' } }],
    [false, { type: 'user_input', user_input: { confirmation: 'yes' } }],
    [false, { type: 'user_input', user_input: 'yes' }],
    [false, { type: 'comment' }],
    [false, { type: 'user_input', confirmation: 'yes' }],
    [false, { type: 'user_input', response: 'yes' }],
    [false, { type: 'user_input', user_input: { response: 'yes' } }],
    [true, { type: 'user_input', user_input: { confirmation: null, response: null } }],
  ])('%s for %j', (expected, raw) => {
    expect(isPlaceholder(readSolution(raw).solution)).toBe(expected);
  });
});
