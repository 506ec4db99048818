import type { Failure } from '../../run/decide/draft.ts';
import { MESSAGES } from '../../run/wording.ts';
import type { Capabilities, DirectorSettings } from './settings.ts';

/** What the client is asked through. */
export type Driver = 'elicitation' | 'sampling';
/** The step that is asked about. */
export type Asked = 'user_input' | 'sampling';

/** What asking came to. */
export type Outcome =
  /** `answer`: a user's words, or the value that a model's output is the JSON of. */
  | { kind: 'answered'; answer: unknown }
  /** A human declined, or closed the question. */
  | { kind: 'declined' }
  | { kind: 'timed_out' }
  /** The client could not ask, or answered with an error. */
  | { kind: 'failed' }
  /** The client's answer is not a possible one. */
  | { kind: 'invalid' }
  /** The call that asked was cancelled; no caller is left. */
  | { kind: 'cancelled' };

/**
 * The drivers that ask the user, first choice first; empty: the agent asks (SPEC 6). Off means a form if the
 * client has it; on means the chosen driver with the other as fallback, each if the client can.
 */
export function driversFor(
  { driver, serverDriver }: Pick<DirectorSettings, 'driver' | 'serverDriver'>,
  can: Pick<Capabilities, 'elicitation' | 'sampling'>,
): Driver[] {
  if (driver === 'agent') return [];
  const order: Driver[] = !serverDriver
    ? ['elicitation']
    : driver === 'sampling'
      ? ['sampling', 'elicitation']
      : ['elicitation', 'sampling'];
  return order.filter((name) => can[name]);
}

/** Whether another driver may be tried: a human's answer and a human's silence are final. */
export function triesNext({ kind }: Outcome): boolean {
  return kind === 'failed' || kind === 'invalid';
}

/** What the run gets for an outcome without an answer, when no other driver is left. */
export function failureOf(
  asked: Asked,
  driver: Driver,
  kind: 'declined' | 'timed_out' | 'failed' | 'invalid',
): Failure {
  if (kind === 'declined') {
    const message = asked === 'user_input' ? MESSAGES.declined : MESSAGES.samplingDeclined;
    return { code: 'USER_DECLINED', message, counted: false };
  }
  if (asked === 'sampling') {
    // Only an output that came is one of the failures that a step has.
    if (kind === 'invalid')
      return { code: 'SAMPLING_INVALID_OUTPUT', message: MESSAGES.modelNotJson, counted: true };
    const message = kind === 'timed_out' ? MESSAGES.modelSilent : MESSAGES.modelNotReached;
    return { code: 'SAMPLING_FAILED', message, counted: false };
  }
  const message = {
    timed_out: MESSAGES.userSilent,
    failed: MESSAGES.userNotReached,
    invalid: MESSAGES.userAnswerInvalid,
  }[kind];
  const code =
    driver === 'elicitation'
      ? 'ELICITATION_FAILED'
      : kind === 'invalid'
        ? 'SAMPLING_INVALID_OUTPUT'
        : 'SAMPLING_FAILED';
  return { code, message, counted: false };
}
