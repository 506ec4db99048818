import { beforeAll, describe, expect, test } from 'vitest';
import { withinTime } from '../../src/base/json-schema.ts';
import { loadTools } from '../../src/proof/tools.ts';
import type { SchemaTools } from '../../src/proof/verdict.ts';

let schemas: SchemaTools;
beforeAll(async () => {
  ({ schemas } = await loadTools({ patterns: false, schemas: true }));
});

/** Two references a level: as many evaluations as there are leaves of a tree of that depth. */
function tree(keyword: 'anyOf' | 'oneOf' | 'allOf', depth: number): Record<string, unknown> {
  const levels = Array.from({ length: depth }, (_, level) => {
    const ref = { $ref: `#/$defs/level${level + 1}` };
    return [`level${level}`, { [keyword]: [ref, ref] }] as const;
  });
  return {
    $defs: { ...Object.fromEntries(levels), [`level${depth}`]: { type: 'string' } },
    $ref: '#/$defs/level0',
  };
}

const people = Array.from({ length: 60_000 }, (_, id) => ({ id }));
const wide = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`key${at}`, at]));
const patterns = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`(a|b|c){1,40}x${at}`, {}]));

describe('a schema that is too costly to evaluate', () => {
  test.each([
    ['nested anyOf', tree('anyOf', 40), 1],
    ['nested oneOf', tree('oneOf', 40), 1],
    ['nested allOf', tree('allOf', 40), 1],
    ['uniqueItems over objects', { type: 'array', uniqueItems: true }, people],
    ['many patternProperties over many keys', { patternProperties: patterns }, wide],
  ])('refuses the value after the limit: %s', (_, schema, value) => {
    const [violation, ...more] = schemas.errors(schema, value);
    expect(more).toEqual([]);
    expect(violation).toMatchObject({ path: '', keyword: '$schema' });
    expect(violation?.message).toContain('takes longer than');
  });

  test('leaves the next evaluation alone', () => {
    expect(schemas.errors({ type: 'array', uniqueItems: true }, [1, 2])).toEqual([]);
    expect(schemas.errors({ type: 'array', uniqueItems: true }, [1, 1])).toHaveLength(1);
    expect(schemas.errors(tree('anyOf', 3), 'text')).toEqual([]);
  });
});

describe('withinTime', () => {
  test('returns the result and passes on what the work throws', () => {
    expect(withinTime(() => 42)).toBe(42);
    expect(() =>
      withinTime(() => {
        throw new RangeError('own');
      }),
    ).toThrow(new RangeError('own'));
  });

  test('ends inner work without ending the outer work', () => {
    const outer = withinTime(() => {
      try {
        withinTime(() => {
          for (;;);
        }, 20);
      } catch (error) {
        return (error as Error).name;
      }
      return 'finished';
    });
    expect(outer).toBe('TimeLimitExceeded');
  });
});
