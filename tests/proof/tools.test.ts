import { describe, expect, test } from 'vitest';
import { loadProofTools, loadTools } from '../../src/proof/tools.ts';
import { SLOW } from './support.ts';

const { patterns, schemas } = await loadTools({ patterns: true, schemas: true });

describe('patterns', () => {
  test('search finds, fullMatch spans', () => {
    expect(patterns.search('b+', 'abbc')).toBe(true);
    expect(patterns.fullMatch('b+', 'abbc')).toBe(false);
    expect(patterns.fullMatch('ab+c', 'abbc')).toBe(true);
    expect(patterns.fullMatch('a|ab', 'ab')).toBe(true);
  });

  test('a search that exceeds its time limit is undefined, not false', () => {
    const text = SLOW.text(1_000_000);
    expect([
      patterns.search(SLOW.pattern, text),
      patterns.fullMatch(SLOW.pattern, text),
      patterns.capture(SLOW.pattern, text),
    ]).toEqual([undefined, undefined, undefined]);
    expect(patterns.search(SLOW.pattern, text.slice(0, 100))).toBe(false);
  });

  test('what RE2 does not have is unusable and matches nothing', () => {
    for (const pattern of ['(?=a)', '(a)\\1', '(', 'a{2000}']) {
      expect([
        patterns.usable(pattern),
        patterns.search(pattern, 'aa'),
        patterns.fullMatch(pattern, 'aa'),
      ]).toEqual([false, false, false]);
    }
  });
});

describe('schemas', () => {
  test('every violation is reported, with its place', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'array', items: { maximum: 1 } } },
    };
    expect(schemas.errors(schema, { a: 1, b: [0, 2, 3] })).toEqual([
      { path: '/a', keyword: 'type', message: 'must be string' },
      { path: '/b/1', keyword: 'maximum', message: 'must be <= 1' },
      { path: '/b/2', keyword: 'maximum', message: 'must be <= 1' },
    ]);
    expect(schemas.errors(schema, { a: 'x' })).toEqual([]);
  });

  test('the dialect is that of 2020-12', () => {
    const tuple = { prefixItems: [{ type: 'string' }], items: false };
    expect(schemas.errors(tuple, ['a'])).toEqual([]);
    expect(schemas.errors(tuple, ['a', 1])).toHaveLength(1);
    expect(
      schemas.errors({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'null' }, null),
    ).toEqual([]);
  });

  test('inherited properties do not satisfy required', () => {
    expect(schemas.errors({ required: ['constructor'] }, {})).toHaveLength(1);
    expect(schemas.errors({ required: ['__proto__'] }, JSON.parse('{"__proto__": 1}'))).toEqual([]);
  });

  test('two patterns in one schema stay two', () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(schemas.errors(schema, { a: 'a', b: 'b' })).toEqual([]);
    expect(schemas.errors(schema, { a: 'b', b: 'a' })).toHaveLength(2);
  });

  test('patterns run on RE2, so no schema can stall', () => {
    expect(schemas.errors({ pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}!`)).toHaveLength(1);
  });

  test('format is an annotation', () => {
    expect(schemas.errors({ format: 'email' }, 'no address')).toEqual([]);
  });

  test.each([
    ['no schema', { type: 'objekt' }],
    ['a reference that leads elsewhere', { $ref: 'https://example.org/x.json' }],
    ['a reference to itself without end', { $ref: '#' }],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['an asynchronous schema', { $async: true, type: 'string' }],
    ['a pattern outside RE2', { pattern: '(?=a)' }],
  ])('%s is a violation by itself', (_, schema) => {
    const unusable = { path: '', keyword: '$schema', message: 'the schema itself cannot be used' };
    expect(schemas.errors(schema, 'a')).toEqual([unusable]);
    expect(schemas.errors(schema, 'a')).toEqual([unusable]);
  });
});

describe('loadProofTools', () => {
  test('loads what the demand needs and nothing else', async () => {
    const shell = { cmd: 'x', timeout_seconds: 1, expect_exit_code: 0 };
    const plain = await loadProofTools({ type: 'shell', required: true, shell });
    expect(() => plain.patterns.search('a', 'a')).toThrow('loaded for another demand');
    const matching = await loadProofTools({
      type: 'shell',
      required: true,
      shell: { ...shell, stdout_matches: 'a' },
    });
    expect(matching.patterns.search('a', 'a')).toBe(true);
    expect(() => matching.schemas.errors({}, 1)).toThrow('loaded for another demand');
    const answer = await loadProofTools({
      type: 'user_input',
      required: true,
      user_input: { prompt: 'p', pattern: 'a' },
    });
    expect(answer.patterns.usable('a')).toBe(true);
    const tool = await loadProofTools({
      type: 'mcp',
      required: true,
      mcp: { tool_name: 't', result_schema: {} },
    });
    expect(tool.schemas.errors({}, 1)).toEqual([]);
    expect(() => tool.patterns.usable('a')).toThrow('loaded for another demand');
    const nothing = await loadProofTools(null);
    expect(() => nothing.patterns.usable('a')).toThrow('loaded for another demand');
  });
});
