import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { canAnimate, watchSilence } from '../../../src/cli/terminal/progress.ts';
import { createScreen } from '../../support/screen.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function setup(animate: boolean, { columns = 60, isTTY = true, limitMs = 60_000 } = {}) {
  const screen = createScreen(columns);
  let raw = '';
  const stream = {
    columns,
    isTTY,
    write(text: string) {
      raw += text;
      screen.write(text.replace(/\n/g, '\r\n'));
      return true;
    },
  } as unknown as NodeJS.WritableStream;
  const watch = watchSilence({ stream, animate, now: () => Date.now(), limitMs });
  const put = (text: string) => {
    watch.heard(text);
    stream.write(text);
  };
  return { watch, put, raw: () => raw, screen: () => screen.text() };
}

it('counts the seconds in place while nothing is printed', () => {
  const { watch, put, screen } = setup(true);
  vi.advanceTimersByTime(1500);
  expect(screen()).toBe('');
  vi.advanceTimersByTime(1500);
  expect(screen()).toBe('running for 3.0 s, limit 1 min');
  put('part');
  vi.advanceTimersByTime(5000);
  expect(screen()).toBe('part');
  put(' of a line\n');
  vi.advanceTimersByTime(1000);
  expect(screen()).toBe('part of a line');
  vi.advanceTimersByTime(1000);
  expect(screen()).toBe('part of a line\nrunning for 10 s, limit 1 min');
  watch.stop();
  vi.advanceTimersByTime(5000);
  expect(screen()).toBe('part of a line');
});

it('prints one line without animation', () => {
  const { watch, raw } = setup(false);
  vi.advanceTimersByTime(30_000);
  watch.stop();
  expect(raw()).toBe('running for 2.0 s, limit 1 min\n');
});

it('prints nothing where no terminal is', () => {
  const { watch, raw } = setup(false, { isTTY: false });
  vi.advanceTimersByTime(30_000);
  watch.stop();
  expect(raw()).toBe('');
});

it('never fills the line', () => {
  const { watch, screen } = setup(true, { columns: 12, limitMs: 86_400_000 });
  vi.advanceTimersByTime(3_600_000);
  expect(screen().split('\n')).toHaveLength(1);
  expect(screen()).toMatch(/^running fo…$/);
  watch.stop();
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
