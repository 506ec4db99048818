import type { AskFailure } from '../../run/decide/draft.ts';
import { MESSAGES } from '../../run/wording.ts';
import type { Log, Metrics } from '../server/metrics.ts';
import type { Capabilities, ElicitationSettings } from './settings.ts';

/** What the client is asked through. */
export type ElicitationMethod = 'elicitation' | 'sampling';
/** The step that is asked about. */
export type AskedProofType = 'user_input' | 'sampling';

/** Any subject of a question to the client. */
export type AskedSubject = AskedProofType | 'inputs';

/** What asking came to. */
export type ElicitationOutcome =
  /** `answer`: a user's words, or the value that a model's output is the JSON of. */
  | { kind: 'answered'; answer: unknown }
  /** A human declined, or closed the question. */
  | { kind: 'declined' }
  /** The client answered before a person could have read the question. */
  | { kind: 'unread' }
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
  { driver, serverDriver }: Pick<ElicitationSettings, 'driver' | 'serverDriver'>,
  can: Pick<Capabilities, 'elicitation' | 'sampling'>,
): ElicitationMethod[] {
  if (driver === 'agent') return [];
  const order: ElicitationMethod[] = !serverDriver
    ? ['elicitation']
    : driver === 'sampling'
      ? ['sampling', 'elicitation']
      : ['elicitation', 'sampling'];
  return order.filter((name) => can[name]);
}

/** Whether another driver may be tried: a human's answer and a human's silence are final. */
export function triesNext({ kind }: ElicitationOutcome): boolean {
  return kind === 'failed' || kind === 'invalid' || kind === 'unread';
}

/** What the run gets for an outcome without an answer, when no other driver is left. */
export function elicitationFailure(
  asked: AskedProofType,
  driver: ElicitationMethod,
  kind: 'declined' | 'unread' | 'timed_out' | 'failed' | 'invalid',
): AskFailure {
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
    unread: MESSAGES.userUnread,
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

interface AskEnd {
  asked: AskedSubject;
  driver: ElicitationMethod;
  /** An outcome of the plan, or `refused` by the verifier. */
  outcome: string;
  seconds: number;
  runId: string;
  /** Why, in the client's or the system's words; for the log only. */
  reason?: string | undefined;
}

/** What is counted and logged of asking. */
export interface Telemetry {
  begun(about: { asked: AskedSubject; driver: ElicitationMethod; runId: string }): void;
  ended(end: AskEnd): void;
  /** The run was informed that asking failed. */
  failed(about: { asked: AskedProofType; driver: ElicitationMethod; runId: string; code: string }): void;
  /** The agent has to get the answer itself. */
  leftToAgent(about: { asked: AskedProofType; runId: string }): void;
}

export function createTelemetry({ log, metrics }: { log: Log; metrics: Metrics }): Telemetry {
  const asks = metrics.counter(
    'kairos_director_asks_total',
    'Questions of the server by topic, channel and result.',
  );
  const failures = metrics.counter(
    'kairos_director_failures_total',
    'Questions that proved nothing, by the error code that the run got.',
  );
  const seconds = metrics.histogram(
    'kairos_director_ask_seconds',
    'How long clients and their users needed to answer.',
  );
  return {
    begun: ({ asked, driver, runId }) => log.info('client asked', { asked, driver, run_id: runId }),
    ended({ asked, driver, outcome, seconds: took, runId, reason }) {
      asks.add({ asked, driver, outcome });
      seconds.observe(took, { asked, driver });
      log.info('client answered', {
        asked,
        driver,
        outcome,
        run_id: runId,
        duration_seconds: took,
        ...(reason === undefined ? {} : { reason }),
      });
    },
    failed({ asked, driver, runId, code }) {
      failures.add({ asked, driver, code });
      log.warn('asking proved nothing', { asked, driver, run_id: runId, code });
    },
    leftToAgent({ asked, runId }) {
      asks.add({ asked, driver: 'agent', outcome: 'left' });
      log.debug('left to the agent', { asked, run_id: runId });
    },
  };
}
