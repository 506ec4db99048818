import { randomBytes } from 'node:crypto';
import { constants, userInfo } from 'node:os';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { KairosError } from '../base/errors.ts';
import { escapeForTerminal } from '../base/escape.ts';
import type { RandomBytes } from '../run/ports.ts';

/** Letters and digits of any language, and other characters of account names. */
const UNUSUAL = /[^\p{L}\p{N}._@+-]/gu;

/** Who calls, and how that is known: from the account; of root also from a variable of sudo, which proves nothing. */
export interface OsCaller {
  actor: string;
  actorOrigin: 'account' | 'sudo';
}

/** What a name of an actor must be; printed where a name is refused. */
export const ACTOR_NAME = 'a name of 1 to 200 characters, without surrounding spaces and hidden characters';

export function isActorName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value === value.trim() &&
    [...value].length <= 200 &&
    escapeForTerminal(value) === value
  );
}

/** The name, or INVALID_INPUT that shows where it is from. */
export function checkActor(name: string, from: string): string {
  if (isActorName(name)) return name;
  throw new KairosError('INVALID_INPUT', `${from} must be ${ACTOR_NAME}`, { hint: 'Give another name.' });
}

/** Who acts, and who that is for the gate: the same, unless `--actor` or the configuration gives another name. */
export interface NamedCaller {
  actor: string;
  actorOrigin: OsCaller['actorOrigin'] | 'flag' | 'config';
  identity: string;
}

/** The name from `--actor`, from the user's configuration, or of the caller. Throws INVALID_INPUT for an unusable flag. */
export function namedCaller(
  caller: OsCaller,
  named: { flag: string | undefined; config: string | undefined },
  redact: (text: string) => string,
): NamedCaller {
  const { flag, config } = named;
  const identity = caller.actor;
  if (flag !== undefined)
    return { actor: redact(checkActor(flag, '--actor')), actorOrigin: 'flag', identity };
  if (config !== undefined) return { actor: redact(config), actorOrigin: 'config', identity };
  return { ...caller, identity };
}

/** The account of this process. Of root also who called sudo, by SUDO_USER: it never counts as that person. */
export function osCaller(
  env: Readonly<Record<string, string | undefined>>,
  isRoot = process.getuid?.() === 0,
  user: () => { username: string } = userInfo,
): OsCaller {
  const { SUDO_USER: caller } = env;
  // Any process can set the variable, so it adds a name and replaces none.
  if (!isRoot || caller === undefined || caller === '' || caller === 'root')
    return { actor: osActor(user), actorOrigin: 'account' };
  const [account, by] = [osActor(user), osActor(() => ({ username: caller }))];
  return { actor: `${account} (sudo by ${by})`, actorOrigin: 'sudo' };
}

/**
 * The current user: the name from the operating system, not from $USER; unusual characters become `_`. A user
 * without a name (a container's, for example) is `uid-1000`.
 */
export function osActor(user: () => { username: string } = userInfo): string {
  try {
    const name = user().username.replace(UNUSUAL, '_').slice(0, 64);
    if (name !== '') return name;
  } catch {
    // no entry in the user database
  }
  return `uid-${process.getuid?.() ?? 'unknown'}`;
}

/** Bytes to fetch in one call, because each system call costs as much as many bytes. */
const FETCHED = 1024;

/** Random bytes of the system, each returned once. */
export function randomSource(fetch: RandomBytes = randomBytes): RandomBytes {
  let fetched: Uint8Array = new Uint8Array();
  return (size) => {
    if (size > FETCHED) return fetch(size);
    if (size > fetched.length) fetched = fetch(FETCHED);
    const bytes = fetched.subarray(0, size);
    fetched = fetched.subarray(size);
    return bytes;
  };
}

const ENDING_NAMES = [
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
export type EndingSignal = (typeof ENDING_NAMES)[number];

/** The signals of this system that end a program and can be caught. Faults of the program itself (SIGSEGV, …) are left out. */
export const ENDING_SIGNALS: readonly EndingSignal[] = ENDING_NAMES.filter(
  (name) => name in constants.signals,
);

/** The exit code of a program that a signal ended: 128 and its number, as shells count. */
export function signalExitCode(signal: string): number {
  return 128 + ((constants.signals as Record<string, number>)[signal] ?? 0);
}

/** Waits for an event for at most so many milliseconds. Returns whether it came. */
export async function within(event: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  // A turn of the loop after the timer: what had come by then and was only not looked at counts as in time.
  const late = delay(ms, undefined, { signal: timer.signal })
    .then(() => turn())
    .then(() => turn(false))
    .catch(() => false);
  return Promise.race([event.then(() => true), late]).finally(() => timer.abort());
}
