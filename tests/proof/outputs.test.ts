import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkOutputs, type OutputFault, type OutputReading } from '../../src/proof/outputs.ts';
import { loadTools } from '../../src/proof/tools.ts';
import type { OutputCheck } from '../../src/protocol/schema.ts';
import { runs } from '../support/thorough.ts';

const tools = await loadTools({ patterns: true, schemas: true });
const SHA = 'a'.repeat(64);

function found(...texts: (string | null)[]): OutputReading {
  const files = texts.map((text, at) => ({ path: `f${at}`, size: text?.length ?? 9, sha256: SHA, text }));
  return { files, others: false, fault: null };
}
const NONE = found();
const failed = (fault: OutputFault): OutputReading => ({ ...NONE, fault });

function check(output: Omit<OutputCheck, 'path'>, reading: OutputReading) {
  return checkOutputs([{ path: 'AUTHOR', ...output }], [reading], tools);
}

function mismatch(check: string, why: string) {
  return {
    ok: false,
    code: 'OUTPUT_MISMATCH',
    message: `1 of 1 outputs does not match. challenge.outputs[0].${check}: ${why}.`,
    violations: [{ pointer: `/outputs/0/${check}`, keyword: check }],
  };
}

describe('an output', () => {
  test.each<[string, Omit<OutputCheck, 'path'>, OutputReading]>([
    ['a file', {}, found('')],
    ['a file that is told to exist', { exists: true }, found(null)],
    ['no file', { exists: false }, NONE],
    ['a digest', { sha256: SHA }, found('x', 'y')],
    ['a pattern anywhere in the text', { matches: 'b+' }, found('abbc')],
    ['a place', { json_pointer: '/a/0' }, found('{"a": [null]}')],
    ['a place in every file', { json_pointer: '/a' }, found('{"a": 1}', '{"a": 2}')],
    ['a value at a place', { json_pointer: '/a~1b', equals: { c: 1 } }, found('{"a/b": {"c": 1.0}}')],
    ['the whole', { equals: [1] }, found(' [1]\n')],
    ['null', { json_pointer: '/a', equals: null }, found('{"a": null}')],
    ['a schema of the whole', { schema: { type: 'object', required: ['a'] } }, found('{"a": 1}')],
    ['a schema of a place', { json_pointer: '/a', schema: { type: 'integer' } }, found('{"a": 1}')],
  ])('passes: %s', (_, output, reading) => {
    expect(check(output, reading)).toEqual({
      ok: true,
      observed: [
        {
          path: 'AUTHOR',
          exists: output.exists !== false,
          checks: Object.keys(output).filter((key) => key !== 'exists'),
          files: reading.files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
        },
      ],
    });
  });

  test.each<[string, Omit<OutputCheck, 'path'>, OutputReading, string, string]>([
    ['no file', {}, NONE, 'exists', 'no file is there'],
    ['a file too much', { exists: false }, found(null), 'exists', 'something is there'],
    ['a folder too much', { exists: false }, { ...NONE, others: true }, 'exists', 'something is there'],
    [
      'a link too much',
      { exists: false },
      { files: [], others: true, fault: 'link' },
      'exists',
      'something is there',
    ],
    [
      'a place that cannot be looked at',
      { exists: false },
      failed('outside'),
      'path',
      'it lies outside of the folders that may be read',
    ],
    ['a folder only', {}, { ...NONE, others: true }, 'exists', 'no file is there'],
    ['another digest', { sha256: 'b'.repeat(64) }, found('x'), 'sha256', 'the digest is another one'],
    ['a missing pattern', { matches: '^b' }, found('abc'), 'matches', 'the pattern is not found'],
    ['a pattern missing in one', { matches: 'b' }, found('abc', 'x'), 'matches', 'the pattern is not found'],
    ['a pattern in no text', { matches: 'b' }, found(null), 'matches', 'a file is not UTF-8 text'],
    ['a pattern outside RE2', { matches: '(?=a)' }, found('a'), 'matches', 'the pattern is not valid RE2'],
    ['no JSON', { json_pointer: '/a' }, found('a: 1'), 'json_pointer', 'a file is not JSON'],
    ['JSON with a key twice', { equals: 1 }, found('{"a": 1, "a": 1}'), 'equals', 'a file is not JSON'],
    ['JSON without an end', { schema: {} }, found('['.repeat(1e6)), 'schema', 'a file is not JSON'],
    ['no text', { schema: {} }, found(null), 'schema', 'a file is not JSON'],
    ['no such place', { json_pointer: '/b' }, found('{"a": 1}'), 'json_pointer', 'nothing is at that place'],
    [
      'an inherited place',
      { json_pointer: '/constructor' },
      found('{}'),
      'json_pointer',
      'nothing is at that place',
    ],
    [
      'another value',
      { json_pointer: '/a', equals: 2 },
      found('{"a": 1}'),
      'equals',
      'the value is another one',
    ],
    ['a text for a number', { equals: 1 }, found('"1"'), 'equals', 'the value is another one'],
    [
      'a schema that does not hold',
      { schema: { type: 'array' } },
      found('{}'),
      'schema',
      'the schema is not satisfied',
    ],
    [
      'a schema that is none',
      { schema: { type: 'wish' } },
      found('{}'),
      'schema',
      'the schema is not satisfied',
    ],
  ])('fails: %s', (_, output, reading, name, why) => {
    expect(check(output, reading)).toEqual(mismatch(name, why));
  });

  test.each<[OutputFault, string]>([
    ['no-folder', 'there is no working directory to read it in'],
    ['path', 'its path cannot be read'],
    ['link', 'it is a symbolic link'],
    ['not-a-file', 'it is not a file'],
    ['too-large', 'a file is too large'],
    ['too-many', 'it names too many files'],
    ['unreadable', 'it cannot be read'],
    ['changed', 'it was changed while it was read'],
  ])('that was not read fails: %s', (fault, why) => {
    expect(check({}, { ...found('x'), fault })).toEqual(mismatch('path', why));
  });

  test('fails when it was not read', () => {
    expect(checkOutputs([{ path: 'a' }], [], tools)).toEqual(mismatch('path', 'it cannot be read'));
  });
});

test('every one that fails is reported, in order', () => {
  const outputs: OutputCheck[] = [{ path: 'a' }, { path: 'b', exists: false }, { path: 'c', equals: 1 }];
  expect(checkOutputs(outputs, [NONE, NONE, found('2')], tools)).toEqual({
    ok: false,
    code: 'OUTPUT_MISMATCH',
    message:
      '2 of 3 outputs do not match. challenge.outputs[0].exists: no file is there; challenge.outputs[2].equals: the value is another one.',
    violations: [
      { pointer: '/outputs/0/exists', keyword: 'exists' },
      { pointer: '/outputs/2/equals', keyword: 'equals' },
    ],
  });
});

test('for any outputs and readings there is one verdict, and it quotes neither author nor file', () => {
  const output = fc.record<OutputCheck>(
    {
      path: fc.constantFrom('AUTHOR', '*'),
      exists: fc.boolean(),
      sha256: fc.constantFrom(SHA, 'b'.repeat(64)),
      matches: fc.constantFrom('AUTHOR', '(', 'SECRET'),
      json_pointer: fc.constantFrom('', '/AUTHOR', '/SECRET'),
      equals: fc.constantFrom<OutputCheck['equals']>('AUTHOR', 1, { AUTHOR: 1 }),
      schema: fc.constantFrom<OutputCheck['schema']>({ required: ['AUTHOR'] }, { const: 'AUTHOR' }),
    },
    { requiredKeys: ['path'] },
  );
  const text = fc.oneof(fc.constantFrom('SECRET', '{"SECRET": "SECRET"}', null), fc.json());
  const reading = fc.record<OutputReading>({
    files: fc.array(
      fc.record({ path: fc.constant('SECRET'), size: fc.nat(), sha256: fc.constant(SHA), text }),
      { maxLength: 3 },
    ),
    others: fc.boolean(),
    fault: fc.option(fc.constantFrom<OutputFault>('link', 'changed')),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(output, reading), { minLength: 1, maxLength: 4 }), (pairs) => {
      const [outputs, readings] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
      const verdict = checkOutputs(outputs, readings, tools);
      expect(checkOutputs(outputs, readings, tools)).toEqual(verdict);
      const alone = pairs.map(([one, other]) => checkOutputs([one], [other], tools).ok);
      expect(verdict.ok).toBe(alone.every(Boolean));
      if (!verdict.ok) {
        expect(JSON.stringify(verdict)).not.toMatch(/AUTHOR|SECRET/);
        expect(verdict.violations).toHaveLength(alone.filter((held) => !held).length);
      }
    }),
    { numRuns: runs(300) },
  );
});
