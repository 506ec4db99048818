import type { Log, Metrics } from '../server/metrics.ts';
import type { Asked, Driver } from './plan.ts';

export interface AskEnd {
  asked: Asked;
  driver: Driver;
  /** An outcome of the plan, or `refused` by the verifier. */
  outcome: string;
  seconds: number;
  runId: string;
  /** Why, in the client's or the system's words; for the log only. */
  reason?: string | undefined;
}

/** What is counted and logged of asking. */
export interface Telemetry {
  begun(about: { asked: Asked; driver: Driver; runId: string }): void;
  ended(end: AskEnd): void;
  /** The run was informed that asking failed. */
  failed(about: { asked: Asked; driver: Driver; runId: string; code: string }): void;
  /** The agent has to get the answer itself. */
  leftToAgent(about: { asked: Asked; runId: string }): void;
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
