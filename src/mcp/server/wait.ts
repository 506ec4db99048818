import type { RunFields } from '../../run/walk-fields.ts';
import type { ToolCallContext } from '../tools/tool.ts';

/** Interval of progress notifications for a running command, in milliseconds. */
const PROGRESS_MS = 2000;

/**
 * The result of the call that has a command run, for another call. Throws the signal's reason when that other
 * one is cancelled, which ends only its waiting.
 */
export async function wait(
  { signal, progress }: Pick<ToolCallContext, 'signal' | 'progress'>,
  step: number,
  answer: Promise<RunFields>,
): Promise<RunFields> {
  signal.throwIfAborted();
  let giveUp = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason);
  });
  signal.addEventListener('abort', giveUp);
  try {
    return await reportingProgress(progress, step, () => Promise.race([answer, givenUp]));
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Reports to the client from time to time that a command runs, during `work`. */
export async function reportingProgress<T>(
  progress: ToolCallContext['progress'],
  step: number,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 1000);
  await progress(`Step ${step}: the command runs.`);
  const timer = setInterval(
    () => void progress(`Step ${step}: the command has run for ${seconds()} s.`),
    PROGRESS_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** The commands that this server is running now, at most one a run. */
interface RunningCommands {
  /** Index of the station whose command runs; null when none of the run does. */
  station(runId: string): number | null;
  /** The result at the end of the station's command; null when it isn't running. */
  answer(runId: string, station: number): Promise<RunFields> | null;
  /** Adds a command to the list until `start` has settled. Returns its result. */
  run(runId: string, station: number, start: () => Promise<RunFields>): Promise<RunFields>;
  /** Keeps a result that no call was there to receive, for the next call on the run; `entryCount`: of the run by then. */
  keep(runId: string, kept: KeptResult): void;
  /** Returns that result once; null without one. */
  kept(runId: string): KeptResult | null;
}

interface KeptResult {
  answer: RunFields;
  entryCount: number;
}

/** Older results are dropped first: the run itself is on record. */
const MOST_KEPT = 100;

export function runningCommands(): RunningCommands {
  const running = new Map<string, { station: number; answer: Promise<RunFields> }>();
  const results = new Map<string, KeptResult>();
  return {
    station: (runId) => running.get(runId)?.station ?? null,
    answer(runId, station) {
      const known = running.get(runId);
      return known?.station === station ? known.answer : null;
    },
    run(runId, station, start) {
      const end = () => {
        if (running.get(runId) === entry) running.delete(runId);
      };
      const entry = { station, answer: Promise.resolve().then(start).finally(end) };
      running.set(runId, entry);
      // Every call that waits for it may have ended before.
      entry.answer.catch(() => undefined);
      return entry.answer;
    },
    keep(runId, kept) {
      results.delete(runId);
      results.set(runId, kept);
      for (const oldest of results.keys()) {
        if (results.size <= MOST_KEPT) break;
        results.delete(oldest);
      }
    },
    kept(runId) {
      const found = results.get(runId) ?? null;
      results.delete(runId);
      return found;
    },
  };
}
