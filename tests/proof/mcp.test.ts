import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contradictsResult, validateMcp } from '../../src/proof/mcp.ts';
import { loadTools } from '../../src/proof/tools.ts';
import type { ProofOfWork } from '../../src/protocol/schema.ts';
import { runs } from '../support/thorough.ts';
import { NO_FACTS } from './support.ts';

type Definition = Extract<ProofOfWork, { type: 'mcp' }>['mcp'];
const tools = await loadTools({ patterns: false, schemas: true });

function judge(payload: unknown, definition: Partial<Definition> = {}) {
  const mcp: Definition = { tool_name: 'find_user', ...definition };
  return validateMcp({ type: 'mcp', required: true, mcp }, payload, NO_FACTS, tools);
}

const good = { tool_name: 'find_user', arguments: { name: 'Ada' }, result: { id: 1 }, success: true };

describe('validateMcp', () => {
  test('keeps arguments and result as one string of canonical JSON each', () => {
    const payload = { ...good, result: { z: [1.5, { b: 2, a: '\ud800' }], a: null }, extra: 1 };
    expect(judge(payload)).toEqual({
      ok: true,
      proof: {
        tool_name: 'find_user',
        arguments_json: '{"name":"Ada"}',
        result_json: '{"a":null,"z":[1.5,{"a":"\ufffd","b":2}]}',
        success: true,
      },
    });
  });

  test.each([
    [
      'nothing',
      undefined,
      'solution.mcp is missing: it must be an object with tool_name, result and success.',
    ],
    [
      'no tool name',
      { ...good, tool_name: undefined },
      'solution.mcp.tool_name must be the name of the tool that was called, a string.',
    ],
    ['no success', { ...good, success: undefined }, 'solution.mcp.success must be true or false.'],
    ['success as text', { ...good, success: 'true' }, 'solution.mcp.success must be true or false.'],
    [
      'no result',
      { ...good, result: undefined },
      'solution.mcp.result is missing: it must be what the tool returned.',
    ],
  ])('MISSING_FIELD for %s', (_, payload, message) => {
    expect(judge(payload)).toEqual({ ok: false, code: 'MISSING_FIELD', message });
  });

  test('the tool, the arguments, success and the result, in this order', () => {
    const demand = { arguments: { name: 'Ada' }, expected_result: { id: 2 } };
    const wrong = { tool_name: 'other', arguments: { name: 'Bob' }, result: { id: 1 }, success: false };
    expect(judge(wrong, demand)).toMatchObject({ code: 'MCP_TOOL_MISMATCH' });
    const tool = { ...wrong, tool_name: 'find_user' };
    expect(judge(tool, demand)).toMatchObject({ code: 'MCP_ARGUMENTS_MISMATCH' });
    const args = { ...tool, arguments: { name: 'Ada' } };
    expect(judge(args, demand)).toMatchObject({ code: 'TOOL_FAILED' });
    const success = { ...args, success: true };
    expect(judge(success, demand)).toMatchObject({ code: 'MCP_RESULT_MISMATCH' });
    expect(judge({ ...success, result: { id: 2 } }, demand)).toMatchObject({ ok: true });
  });

  test('declared arguments must be equal, whole and deep; undeclared ones are free', () => {
    const declared = { arguments: { a: [1, { b: null }], c: 'x' } };
    const verdict = (args: unknown) => judge({ ...good, arguments: args }, declared).ok;
    expect(verdict({ c: 'x', a: [1, { b: null }] })).toBe(true);
    expect(verdict({ a: [1, { b: null }] })).toBe(false);
    expect(verdict({ a: [1, { b: null }], c: 'x', d: 1 })).toBe(false);
    expect(verdict({ a: [1, { b: false }], c: 'x' })).toBe(false);
    expect(verdict(undefined)).toBe(false);
    expect(judge({ ...good, arguments: undefined }, { arguments: {} }).ok).toBe(true);
    expect(judge({ ...good, arguments: { any: 1 } }).ok).toBe(true);
  });

  test('a call that MCP itself marks as an error has failed, despite any claim', () => {
    const result = { content: [{ type: 'text', text: '{"id":1}' }], isError: true };
    expect(judge({ ...good, result })).toEqual({
      ok: false,
      code: 'TOOL_FAILED',
      message: 'The tool call did not succeed.',
    });
  });

  test.each<[string, unknown, unknown, boolean]>([
    ['an object has each key equal', { id: 1, extra: true }, { id: 1 }, true],
    ['a key that differs', { id: 2 }, { id: 1 }, false],
    ['a key that is only inherited', {}, { constructor: null }, false],
    ['a nested object equals whole', { user: { id: 1, extra: 1 } }, { user: { id: 1 } }, false],
    ['a list equals whole', [1, 2], [1, 2], true],
    ['a longer list', [1, 2, 3], [1, 2], false],
    ['an object is no list', [], {}, false],
    ['a text', 'pong', 'pong', true],
    ['a number', 5, 5, true],
    ['null', null, null, true],
    ['false is not null', false, null, false],
    ['structuredContent', { content: [], structuredContent: { id: 1 } }, { id: 1 }, true],
    [
      'structuredContent, and not the text beside it',
      { content: [{ type: 'text', text: '{"id":1}' }], structuredContent: { id: 2 } },
      { id: 1 },
      false,
    ],
    ['a single text, parsed', { content: [{ type: 'text', text: '{"id":1}' }] }, { id: 1 }, true],
    ['a single text as it is', { content: [{ type: 'text', text: 'pong' }] }, 'pong', true],
    ['a single text that is also a number', { content: [{ type: 'text', text: '5' }] }, '5', true],
    ['a plain text that holds JSON', '{"id":1}', { id: 1 }, true],
    [
      'two texts stay raw',
      {
        content: [
          { type: 'text', text: '1' },
          { type: 'text', text: '2' },
        ],
      },
      {
        content: [
          { type: 'text', text: '1' },
          { type: 'text', text: '2' },
        ],
      },
      true,
    ],
    [
      'a call result with keys of a later revision',
      { content: [{ type: 'text', text: '{"id":1}' }], resultType: 'complete' },
      { id: 1 },
      true,
    ],
    ['structuredContent alone', { structuredContent: { id: 1 } }, { id: 1 }, true],
    ['an object that merely has content', { content: [1], id: 1 }, { id: 1 }, true],
  ])('expected result: %s', (_, result, expected, ok) => {
    expect(
      judge({ ...good, result }, { expected_result: expected as Definition['expected_result'] }).ok,
    ).toBe(ok);
  });

  test('names how often the schema is violated and by which keywords, and nothing of the data', () => {
    const result_schema = {
      type: 'object',
      properties: { secretField: { type: 'string' }, other: { minimum: 3 } },
      required: ['absentField'],
    };
    expect(judge({ ...good, result: { secretField: 42, other: 1 } }, { result_schema })).toEqual({
      ok: false,
      code: 'MCP_RESULT_MISMATCH',
      message:
        'solution.mcp.result violates challenge.mcp.result_schema in 3 places (required, type, minimum).',
    });
  });

  test('a schema that cannot be used passes nothing', () => {
    const unusable: Definition['result_schema'][] = [
      { type: 'objekt' },
      { $ref: 'https://example.org/schema.json' },
      { $ref: '#' },
    ];
    for (const result_schema of unusable) {
      expect(judge(good, { result_schema })).toMatchObject({
        ok: false,
        code: 'MCP_RESULT_MISMATCH',
        message: expect.stringContaining('the step has to be updated'),
      });
    }
  });

  test('expected result and schema must both fit one reading', () => {
    const demand = { expected_result: '5', result_schema: { type: 'number' } };
    expect(judge({ ...good, result: '5' }, demand)).toMatchObject({ code: 'MCP_RESULT_MISMATCH' });
  });

  test('a plain value that a server wrapped into an object counts as the value too', () => {
    const result = { content: [{ type: 'text', text: '5' }], structuredContent: { result: 5 } };
    expect(judge({ ...good, result }, { expected_result: 5 }).ok).toBe(true);
    expect(judge({ ...good, result }, { expected_result: { result: 5 } }).ok).toBe(true);
    expect(judge({ ...good, result }, { expected_result: 6 })).toMatchObject({ code: 'MCP_RESULT_MISMATCH' });
    const other = { ...result, structuredContent: { result: 5, more: 1 } };
    expect(judge({ ...good, result: other }, { expected_result: 5 }).ok).toBe(false);
  });

  test('any JSON result satisfies itself, and no other value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const structured = (value: unknown) => ({
          ...good,
          result: { structuredContent: [value], content: [] },
        });
        const expected = { expected_result: [a] as Definition['expected_result'] };
        expect(judge(structured(a), expected).ok).toBe(true);
        expect(judge(structured(b), expected).ok).toBe(
          JSON.stringify(a) === JSON.stringify(b) || sameSet(a, b),
        );
      }),
      { numRuns: runs(200) },
    );
  });
});

/** Equality by another road than the one under test: the sorted leaves with their paths. */
function sameSet(a: unknown, b: unknown): boolean {
  return JSON.stringify(leaves(a, []).sort()) === JSON.stringify(leaves(b, []).sort());
}

function leaves(value: unknown, path: unknown[]): string[] {
  if (value === null || typeof value !== 'object') return [JSON.stringify([path, value])];
  const kind = Array.isArray(value) ? 'list' : 'object';
  return [
    JSON.stringify([path, kind]),
    ...Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, [kind, key]])),
  ];
}

const answer = (text: string) => ({ content: [{ type: 'text', text }] });

test.each<[claim: unknown, seen: unknown, contradicts: boolean]>([
  [{ merged: false }, answer('{"merged": true, "id": 7}'), true],
  [{ merged: true }, answer('{"merged": true, "id": 7}'), false],
  [{ merged: false }, { ...answer('ok'), structuredContent: { merged: true } }, true],
  [answer('{"merged": false}'), answer('{"merged": true}'), true],
  [{ state: 'closed' }, { state: 'open' }, true],
  [{ key: 'x' }, { key: '[redacted:token]' }, false],
  [{ summary: 'merged' }, answer('{"merged": true}'), false],
  ['It is merged.', answer('{"merged": true}'), false],
  [4, answer('3'), true],
  [3, answer('3'), false],
  [undefined, answer('3'), false],
])('finds that the claimed result %j contradicts %j: %j', (claim, seen, contradicts) => {
  expect(contradictsResult(claim, seen)).toBe(contradicts);
});
