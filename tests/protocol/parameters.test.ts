import { describe, expect, it } from 'vitest';
import { parameterItem, readParameter } from '../../src/protocol/import/parameters.ts';
import type { InputDefinition } from '../../src/protocol/schema.ts';

describe('readParameter', () => {
  it.each<InputDefinition>([
    { description: 'Plain' },
    { description: 'A token.', secret: true },
    { description: 'Where', default: 'a) "b", c: `d`' },
    { description: 'Where.', choices: ['a', 'b, c', 'd `e`'], default: 'b, c' },
    { description: 'Where.', pattern: '[a-z`]+\\.(x|y)', default: 'z.x' },
    { description: 'How many.', type: 'number', default: '3' },
    { description: 'Whether.', type: 'boolean' },
    { description: 'Empty', default: '' },
  ])('reads what parameterItem writes of %j', (input) => {
    expect(readParameter(parameterItem('THE_NAME', input), [])).toEqual({
      name: 'THE_NAME',
      input,
      unusable: null,
    });
  });

  it('returns null for other items', () => {
    expect(readParameter('- **docker**: needed', [])).toBeNull();
    expect(readParameter('- **docker** (recommended): needed', [])).toBeNull();
  });
});
