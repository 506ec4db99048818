import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { attestInput } from '../../src/operations/attest.ts';
import { parseInput } from '../../src/operations/input.ts';
import { searchInput } from '../../src/operations/search.ts';
import { updateInput } from '../../src/operations/update.ts';

describe('an input that does not fit', () => {
  it.each([
    [
      'a mistyped field',
      searchInput,
      { querry: 'a' },
      'query: is missing; there is no field "querry"; did you mean query?',
    ],
    ['a field like none', searchInput, { query: 'a', zzzzzz: 1 }, 'there is no field "zzzzzz"'],
    [
      'a field further in',
      updateInput,
      { uris: ['kairos://mem/x'], updates: { lable: 'x' } },
      'there is no field "updates.lable"; did you mean label?',
    ],
    [
      'a wrong value and a wrong type',
      attestInput,
      { uri: 'a', outcome: 'maybe', message: 3 },
      'outcome: must be "success" or "failure"; message: must be of type string',
    ],
    ['a number out of bounds', searchInput, { query: 'a', limit: 51 }, 'limit: must be at most 50'],
    ['an empty list', updateInput, { uris: [] }, 'uris: must be at least 1 items long'],
    ['no object at all', searchInput, 3, 'input: must be of type object'],
  ])('%s is reported by its name', (_, schema, input, message) => {
    expect(() => parseInput(schema as z.ZodMiniType, input)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message }),
    );
  });

  it('lists what the call accepts', () => {
    expect(() => parseInput(searchInput, {})).toThrow(
      expect.objectContaining({ hint: 'Fields of the call: query, limit, space.' }),
    );
    expect(() => parseInput(updateInput, { uris: ['x'], updates: { title: 'x' } })).toThrow(
      expect.objectContaining({ hint: 'Fields of updates: label, text, tags.' }),
    );
    expect(() => parseInput(z.string(), 3)).toThrow(
      expect.objectContaining({ hint: 'Compare the call with the schema of the operation.' }),
    );
  });

  it('is reported in few words, however much is wrong', () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`f${at}`, at]));
    expect(() => parseInput(searchInput, { query: 'a', ['x'.repeat(1_000_000)]: 1, ...many })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^there is no field "x{100}…"; .*"f6"; and 1993 more$/),
      }),
    );
  });
});
