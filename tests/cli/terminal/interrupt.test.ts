import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Interrupts, watchSignals } from '../../../src/cli/terminal/interrupt.ts';
import { ENDING_SIGNALS } from '../../../src/host/system.ts';

function setup(): { source: EventEmitter; interrupts: Interrupts } {
  const source = new EventEmitter();
  return { source, interrupts: watchSignals(source) };
}

/** Settles when the signal is aborted. */
const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'));
  });

it('stops work at the first Ctrl-C, kills it at the second, and ends with 130', async () => {
  const { source, interrupts } = setup();
  const events: string[] = [];
  const work = interrupts.during(async ({ stop, kill }) => {
    await aborted(stop);
    events.push(`stop ${interrupts.exitCode}`);
    source.emit('SIGINT');
    await aborted(kill);
    events.push(`kill ${interrupts.exitCode}`);
    return 'done';
  });
  source.emit('SIGINT');
  expect(await work).toEqual({ value: 'done', interrupted: true });
  expect(events).toEqual(['stop null', 'kill 130']);
});

it('starts the count again after an answered question', async () => {
  const { source, interrupts } = setup();
  source.emit('SIGINT');
  expect(await interrupts.asking(async (signal) => signal.aborted)).toBe(true);
  interrupts.answered();
  const asked = interrupts.asking(aborted);
  source.emit('SIGINT');
  expect([await asked, interrupts.exitCode]).toEqual(['aborted', null]);
  interrupts.press();
  expect(interrupts.exitCode).toBe(130);
  interrupts.answered();
  expect(interrupts.exitCode).toBe(130);
});

it('delivers an early Ctrl-C once, to the next question', async () => {
  const { source, interrupts } = setup();
  source.emit('SIGINT');
  expect(await interrupts.during(async ({ stop }) => stop.aborted)).toEqual({
    value: true,
    interrupted: true,
  });
  expect(await interrupts.during(async ({ stop }) => stop.aborted)).toEqual({
    value: false,
    interrupted: false,
  });
});

it.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('ends with its own code on %s, killing only at a second signal', async (name, code) => {
  const { source, interrupts } = setup();
  const work = interrupts.during(async ({ stop, kill }) => {
    await aborted(stop);
    const spared = !kill.aborted;
    source.emit('SIGINT');
    return { spared, killed: kill.aborted };
  });
  source.emit(name);
  expect(await work).toEqual({ value: { spared: true, killed: true }, interrupted: true });
  expect(interrupts.exitCode).toBe(code);
  expect(await interrupts.asking(async (signal) => signal.aborted)).toBe(true);
});

it('leaves Ctrl-C to work that owns the terminal, but not the other signals', async () => {
  const { source, interrupts } = setup();
  await interrupts.handOver(async () => source.emit('SIGINT'));
  expect(await interrupts.during(async ({ stop }) => stop.aborted)).toEqual({
    value: false,
    interrupted: false,
  });
  await interrupts.handOver(async () => source.emit('SIGTERM'));
  expect(interrupts.exitCode).toBe(143);
});

it('gives the signals back when asked, and when it has to end and one more comes', () => {
  for (const finish of [
    ({ interrupts }: ReturnType<typeof setup>) => interrupts.dispose(),
    ({ source }: ReturnType<typeof setup>) => {
      source.emit('SIGINT');
      source.emit('SIGINT');
    },
  ]) {
    const parts = setup();
    expect(parts.source.eventNames()).toEqual(ENDING_SIGNALS);
    finish(parts);
    expect(parts.source.eventNames()).toEqual([]);
  }
});

it('forgets work that failed', async () => {
  const { source, interrupts } = setup();
  await expect(interrupts.during(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  source.emit('SIGINT');
  expect(await interrupts.asking(async (signal) => signal.aborted)).toBe(true);
});

it('agrees with a plain count of signals and answers', () => {
  const event = fc.constantFrom('SIGINT', 'SIGTERM', 'SIGHUP', 'answer');
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      const { source, interrupts } = setup();
      let presses = 0;
      let expected: number | null = null;
      for (const name of events) {
        if (name === 'answer') {
          interrupts.answered();
          if (expected === null) presses = 0;
          continue;
        }
        source.emit(name);
        presses += 1;
        if (name === 'SIGINT') expected ??= presses > 1 ? 130 : null;
        else expected ??= name === 'SIGTERM' ? 143 : 129;
        expect(interrupts.exitCode).toBe(expected);
      }
    }),
  );
});
