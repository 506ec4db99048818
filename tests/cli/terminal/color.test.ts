import { expect, it } from 'vitest';
import { colorFor, createColor, decideColor } from '../../../src/cli/output.ts';

it.each([
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { TERM: 'dumb' }, true, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { FORCE_COLOR: 'false' }, true, false],
  ['always', { NO_COLOR: '1', TERM: 'dumb' }, false, true],
  ['never', { FORCE_COLOR: '3' }, true, false],
] as const)('--color %s with %o, terminal %s: %s', (flag, env, terminal, expected) => {
  expect(decideColor({ flag, env, terminal })).toBe(expected);
});

it('makes a chalk that follows the decision and nothing else', () => {
  expect(createColor(true).red('x')).toBe('\x1b[31mx\x1b[39m');
  expect(createColor(false).red('x')).toBe('x');
  expect(colorFor({ isTTY: true }, { flag: 'auto', env: {} }).level).toBe(1);
  expect(colorFor({}, { flag: 'auto', env: {} }).level).toBe(0);
});
