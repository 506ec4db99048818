import { expect, it } from 'vitest';
import { createScreen } from './screen.ts';

it.each([
  ['text and line breaks', 'a\r\nb\nc', 'a\nb\n c'],
  ['carriage return and backspace', 'abc\rx\r\ny\bz', 'xbc\nz'],
  ['cursor moves', 'abc\r\nd\x1b[Ax\x1b[2Dy\x1b[Cz\x1b[Bw\x1b[1Gv', 'yxz\nv  w'],
  [
    'erasing to the end, to the start, and whole lines',
    'abcdef\x1b[3G\x1b[K\r\nabc\x1b[2G\x1b[1K\r\nxyz\x1b[2K',
    'ab\n  c',
  ],
  ['erasing below', 'a\r\nb\r\nc\x1b[2A\x1b[J\r\nd', 'a\nd'],
  ['lines that are too long', 'abcdefghijkl', 'abcdefghij\nkl'],
  ['colours and modes', '\x1b[?25l\x1b[1;31mred\x1b[0m\x1b[?25h', 'red'],
])('draws %s', (_name, input, expected) => {
  const screen = createScreen(10);
  for (const part of input) screen.write(part);
  expect(screen.text()).toBe(expected);
});
