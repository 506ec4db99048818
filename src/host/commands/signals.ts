import { constants } from 'node:os';

const NAMES = [
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGABRT',
  'SIGIO',
  'SIGPWR',
  'SIGSYS',
] as const;
export type EndingSignal = (typeof NAMES)[number];

/** The signals of this system that end a program and can be caught. Faults of the program itself (SIGSEGV, …) are left out. */
export const ENDING_SIGNALS: readonly EndingSignal[] = NAMES.filter((name) => name in constants.signals);

/** The exit code of a program that a signal ended: 128 and its number, as shells count. */
export function signalExitCode(signal: string): number {
  return 128 + ((constants.signals as Record<string, number>)[signal] ?? 0);
}
