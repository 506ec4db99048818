import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { canAnimate, startProgress } from '../../../src/cli/terminal/progress.ts';
import { createScreen } from '../../support/screen.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setup(animate: boolean, label = 'Calling tool', columns = 40) {
  const screen = createScreen(columns);
  let raw = '';
  const stream = {
    columns,
    write(text: string) {
      raw += text;
      screen.write(text.replace(/\n/g, '\r\n'));
      return true;
    },
  } as unknown as NodeJS.WritableStream;
  const progress = startProgress(label, { stream, animate, now: () => Date.now() });
  return { progress, raw: () => raw, screen: () => screen.text() };
}

it('prints one line at the start and one at the end without animation', () => {
  const { progress, raw } = setup(false, 'a\x1b[2J');
  vi.advanceTimersByTime(2500);
  progress.write('output\n');
  progress.stop('ok\x07');
  expect(raw()).toBe('a\\x1b[2J ...\noutput\na\\x1b[2J: ok\\x07 (2.5 s)\n');
});

it('counts the seconds in place, around the output', () => {
  const { progress, screen } = setup(true);
  expect(screen()).toBe('Calling tool  0 ms');
  vi.advanceTimersByTime(3000);
  expect(screen()).toBe('Calling tool  3.0 s');
  progress.write('part');
  vi.advanceTimersByTime(2000);
  expect(screen()).toBe('part');
  progress.write(' of a line\n');
  expect(screen()).toBe('part of a line\nCalling tool  5.0 s');
  progress.write('');
  progress.write('open');
  progress.stop('done');
  vi.advanceTimersByTime(5000);
  expect(screen()).toBe('part of a line\nopen\nCalling tool: done (5.0 s)');
});

it.each(['x'.repeat(100), '語'.repeat(100)])('never fills the line', (label) => {
  const { progress, screen } = setup(true, label, 30);
  vi.advanceTimersByTime(3_600_000);
  expect(screen().split('\n')).toHaveLength(1);
  expect(screen()).toMatch(/… {2}1 h$/);
  progress.stop('done');
});

it.each([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: 'dumb' }, false],
  [true, { ACCESSIBLE: '1' }, false],
  [true, { CI: '1' }, false],
  [true, { CI: 'false', ACCESSIBLE: '0' }, true],
])('animates a terminal (%s) with %o: %s', (isTTY, env, expected) => {
  expect(canAnimate({ isTTY }, env)).toBe(expected);
});
