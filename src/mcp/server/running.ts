import type { WalkFields } from '../../run/walk-fields.ts';

/** The commands that this server is running now, at most one a run. */
export interface RunningCommands {
  /** Index of the station whose command runs; null when none of the run does. */
  station(runId: string): number | null;
  /** The result at the end of the station's command; null when it isn't running. */
  answer(runId: string, station: number): Promise<WalkFields> | null;
  /** Adds a command to the list until `start` has settled. Returns its result. */
  run(runId: string, station: number, start: () => Promise<WalkFields>): Promise<WalkFields>;
}

export function runningCommands(): RunningCommands {
  const running = new Map<string, { station: number; answer: Promise<WalkFields> }>();
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
      return entry.answer;
    },
  };
}
