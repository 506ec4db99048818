import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockShapeModule } from '../../../scripts/block-shape.mjs';
import * as SHAPES from '../../../src/protocol/block/block-shape.ts';
import { readShape, type Shape } from '../../../src/protocol/block/shape.ts';
import { stepBlockSchema } from '../../../src/protocol/schema.ts';
import { runs } from '../../support/thorough.ts';

const RUNS = { numRuns: runs(300) };

const ODD = fc.constantFrom<unknown>(
  '',
  'x',
  0,
  1,
  -1,
  1.5,
  2 ** 53,
  86_401,
  true,
  null,
  [],
  {},
  ['a'],
  [1],
  { a: 1 },
);

/** The readers of JSON and YAML refuse the key `__proto__` before a shape or schema is asked; zod drops it. */
const anyValue = fc
  .jsonValue({ maxDepth: 1 })
  .filter((value) => !JSON.stringify(value).includes('"__proto__"'));

const TEXTS = ['x', 'two words', 'A_1', '/a/b~0', 'a'.repeat(64), '\ud83d\ude00'];

/** Values that a shape allows, with something odd in them now and then. */
function someValue(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 150, arbitrary: soundValue(shape) }, { weight: 1, arbitrary: ODD });
}

function soundValue(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'object':
      return objectOf(shape.fields);
    case 'choice':
      return fc.oneof(...Object.values(shape.options).map(soundValue));
    case 'list':
      return fc.array(someValue(shape.item), { minLength: shape.least ?? 0, maxLength: 3 });
    case 'text':
      return fc.constantFrom(...TEXTS.filter((text) => shape.pattern?.test(text) ?? text !== ''));
    case 'number':
      return fc.oneof(fc.constantFrom(shape.least ?? 0, shape.most ?? 1), {
        weight: 5,
        arbitrary: fc.integer({ min: shape.least ?? -5, max: shape.most ?? 300 }),
      });
    case 'flag':
      return fc.boolean();
    case 'word':
      return fc.constantFrom(...shape.words);
    case 'mapping':
      return fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), anyValue, { maxKeys: 2 });
    default:
      return anyValue;
  }
}

/** Keys in any order, most of those that may be absent left out, and sometimes one that nobody knows. */
function objectOf(fields: Extract<Shape, { kind: 'object' }>['fields']): fc.Arbitrary<unknown> {
  const requiredKeys = Object.keys(fields).filter((key) => fields[key]!.otherwise === undefined);
  const values = Object.fromEntries(
    Object.entries(fields).map(([key, { shape }]) => [key, someValue(shape)]),
  );
  return fc
    .tuple(fc.record(values, { requiredKeys }), fc.integer({ min: 0, max: 40 }), fc.boolean())
    .map(([record, odd, isReversed]) => {
      const entries = Object.entries({ ...record, ...(odd === 0 ? { unknown: 1 } : {}) });
      return Object.fromEntries(isReversed ? entries.reverse() : entries);
    });
}

describe('the shape of step blocks', () => {
  it('is built into the program as plain data without zod', async () => {
    const source = await blockShapeModule();
    expect(source).not.toContain('import');
    const built = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    expect({ ...built }).toEqual({ ...SHAPES });
  });

  it('reads what the schema reads, and as it reads it', () => {
    let sound = 0;
    fc.assert(
      fc.property(someValue(SHAPES.BLOCK_SHAPE), (value) => {
        const { success, data } = stepBlockSchema.safeParse(value);
        if (success) sound += 1;
        // As text, so that the order of keys counts.
        expect(JSON.stringify(readShape(SHAPES.BLOCK_SHAPE, value))).toBe(
          JSON.stringify(success ? data : undefined),
        );
      }),
      RUNS,
    );
    expect(sound).toBeGreaterThan(RUNS.numRuns / 20);
  });

  it('gives every block separate defaults', () => {
    const read = () => readShape(SHAPES.BLOCK_SHAPE, { proof_of_work: { type: 'comment' } });
    expect(read()).toEqual({
      proof_of_work: { type: 'comment', comment: { min_length: 10 }, required: true },
    });
    expect((read() as { proof_of_work: { comment: object } }).proof_of_work.comment).not.toBe(
      (read() as { proof_of_work: { comment: object } }).proof_of_work.comment,
    );
  });
});
