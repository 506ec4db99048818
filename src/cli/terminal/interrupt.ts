import { setTimeout as delay } from 'node:timers/promises';
import { ENDING_SIGNALS, type EndingSignal, signalExitCode } from '../../host/system.ts';
import type { SignalSource } from '../io.ts';

/** How work is ended. */
export interface WorkSignals {
  /** End with TERM, then KILL. */
  stop: AbortSignal;
  /** End immediately, because the user asked twice. */
  kill: AbortSignal;
}

/**
 * Ctrl-C discipline. The first SIGINT stops the current work, or interrupts the question, and the run asks
 * what to do. The second one, before that is answered, ends the program with 130. Every other signal that can be
 * caught ends it with 128 and its number.
 */
export interface Interrupts {
  /** Null while the program runs, else its exit code. */
  readonly exitCode: number | null;
  /**
   * Runs work that the first signal stops and any second one kills. `interrupted`: a signal arrived, for any
   * value.
   */
  during<T>(work: (signals: WorkSignals) => Promise<T>): Promise<{ value: T; interrupted: boolean }>;
  /** Runs work that owns the terminal (an editor, an interactive command) and handles Ctrl-C itself. */
  handOver<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs a question. Any signal aborts its `signal`; a signal that arrived with nothing to stop aborts it
   * from the start.
   */
  asking<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ctrl-C as a key, as in raw mode. */
  press(): void;
  /** A question was answered: the next Ctrl-C counts as a first one. */
  answered(): void;
  /** Stops handling the signals. */
  dispose(): void;
}

const LATE_SIGNAL_MS = 30;

/**
 * Handles the signals that end a program until `dispose`. After the first signal to end, one more signal
 * restores their default effect, so that the program can't hang.
 */
export function watchSignals(source: SignalSource): Interrupts {
  let exitCode: number | null = null;
  let count = 0;
  /** A signal arrived with no work or question to stop. */
  let undelivered = false;
  let handedOver = 0;
  const stops = new Set<AbortController>();
  const kills = new Set<AbortController>();

  function receive(signal: EndingSignal): void {
    if (signal === 'SIGINT' && handedOver > 0) return;
    count += 1;
    if (signal !== 'SIGINT' || count > 1) exitCode ??= signalExitCode(signal);
    if (stops.size === 0) undelivered = true;
    for (const controller of stops) controller.abort();
    if (count > 1) for (const controller of kills) controller.abort();
    if (exitCode !== null && count > 1) dispose();
  }

  const listeners = ENDING_SIGNALS.map((signal) => {
    const listener = () => receive(signal);
    source.on(signal, listener);
    return { signal, listener };
  });

  function dispose(): void {
    for (const { signal, listener } of listeners.splice(0)) source.removeListener(signal, listener);
  }

  /** A controller that is already aborted when a signal is due. */
  function stopController(): AbortController {
    const controller = new AbortController();
    if (undelivered || exitCode !== null) controller.abort();
    undelivered = false;
    stops.add(controller);
    return controller;
  }

  return {
    get exitCode() {
      return exitCode;
    },
    async during(work) {
      const stop = stopController();
      const kill = new AbortController();
      if (stop.signal.aborted && count > 1) kill.abort();
      kills.add(kill);
      try {
        const value = await work({ stop: stop.signal, kill: kill.signal });
        return { value, interrupted: stop.signal.aborted };
      } finally {
        stops.delete(stop);
        kills.delete(kill);
      }
    },
    async handOver(work) {
      handedOver += 1;
      try {
        return await work();
      } finally {
        // The terminal sends a Ctrl-C to both, so the end of the child may arrive before the signal.
        await delay(LATE_SIGNAL_MS);
        handedOver -= 1;
      }
    },
    async asking(ask) {
      const stop = stopController();
      try {
        return await ask(stop.signal);
      } finally {
        stops.delete(stop);
      }
    },
    press: () => receive('SIGINT'),
    answered: () => {
      if (exitCode === null) count = 0;
    },
    dispose,
  };
}

/**
 * Every signal that can be caught ends a server in good order, with what it started. Impatient clients, and wrappers that forward a
 * signal which the group also got, send SIGTERM or SIGHUP twice. So only a second SIGINT, typed by a person,
 * has its default effect.
 */
export function endingSignals(signals: SignalSource): { stop: AbortSignal; dispose: () => void } {
  const controller = new AbortController();
  const end = () => {
    signals.removeListener('SIGINT', end);
    controller.abort();
  };
  for (const name of ENDING_SIGNALS) signals.on(name, end);
  const dispose = () => {
    for (const name of ENDING_SIGNALS) signals.removeListener(name, end);
  };
  return { stop: controller.signal, dispose };
}
