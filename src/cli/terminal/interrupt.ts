import { setTimeout as delay } from 'node:timers/promises';

/** 128 + the number of SIGHUP, SIGINT, SIGTERM. */
export type SignalExitCode = 129 | 130 | 143;

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type EndingSignal = keyof typeof EXIT_CODES;

/** The part of `process` that is used. */
export interface SignalSource {
  on(signal: EndingSignal, listener: () => void): unknown;
  removeListener(signal: EndingSignal, listener: () => void): unknown;
}

/** How a piece of work is told to end. */
export interface WorkSignals {
  /** End in good order: TERM, then KILL. */
  stop: AbortSignal;
  /** End at once: the user asked twice. */
  kill: AbortSignal;
}

/**
 * Ctrl-C discipline. The first SIGINT stops the work at hand, or interrupts the question, and the run asks what to do;
 * the second, before that is answered, ends the program with 130. SIGTERM ends it with 143, SIGHUP with 129.
 */
export interface Interrupts {
  /** Null while the program goes on, else what it has to end with. */
  readonly exitCode: SignalExitCode | null;
  /** Runs work which the first signal stops and any second one kills. `interrupted`: a signal came, whatever the value. */
  during<T>(work: (signals: WorkSignals) => Promise<T>): Promise<{ value: T; interrupted: boolean }>;
  /** Runs work that owns the terminal (an editor, an interactive command): Ctrl-C is its own affair. */
  handOver<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a question; the signal is aborted by any signal, from the start when one came while nothing could take it. */
  asking<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** A Ctrl-C that came as a key, as it does in raw mode. */
  press(): void;
  /** A question was answered: the next Ctrl-C counts as a first one. */
  answered(): void;
  /** Gives the signals back. */
  dispose(): void;
}

const LATE_SIGNAL_MS = 30;

/**
 * Takes over SIGINT, SIGTERM and SIGHUP until `dispose`. Once the program has been told to end and yet another signal
 * has come, they have their usual effect again, so that nothing can hang beyond reach.
 */
export function watchSignals(source: SignalSource = process): Interrupts {
  let exitCode: SignalExitCode | null = null;
  let count = 0;
  /** A signal came while there was neither work nor question to take it. */
  let undelivered = false;
  let handedOver = 0;
  const stops = new Set<AbortController>();
  const kills = new Set<AbortController>();

  function receive(signal: EndingSignal): void {
    if (signal === 'SIGINT' && handedOver > 0) return;
    count += 1;
    if (signal !== 'SIGINT' || count > 1) exitCode ??= EXIT_CODES[signal];
    if (stops.size === 0) undelivered = true;
    for (const controller of stops) controller.abort();
    if (count > 1) for (const controller of kills) controller.abort();
    if (exitCode !== null && count > 1) dispose();
  }

  const listeners = Object.keys(EXIT_CODES).map((name) => {
    const signal = name as EndingSignal;
    const listener = () => receive(signal);
    source.on(signal, listener);
    return { signal, listener };
  });

  function dispose(): void {
    for (const { signal, listener } of listeners.splice(0)) source.removeListener(signal, listener);
  }

  /** A controller that is already aborted when there is something to deliver. */
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
        // The terminal gives a Ctrl-C to both at once, and what it ended may be known of before the signal itself.
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
