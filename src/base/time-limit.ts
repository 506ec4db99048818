import { type Context, createContext, Script } from 'node:vm';

/** What work whose cost an author or a caller chooses may take, in milliseconds. */
export const EVALUATION_LIMIT_MS = 1000;

/** The work was ended because it took longer than its limit. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded';

  constructor(limitMs: number) {
    super(`the evaluation took longer than ${limitMs} ms`);
  }
}

let box: Context | undefined;
let script: Script | undefined;

/** On a busy machine the time may pass while the work waits for a processor: then it is tried again, this often at most. */
const TRIES = 5;

/**
 * Runs synchronous work that changes nothing outside of itself, and returns its result. The engine ends work that exceeds
 * the limit, wherever it is: this is for code that cannot count its own steps. Throws TimeLimitExceeded then, and whatever
 * the work throws.
 */
export function withinTime<T>(work: () => T, limitMs = EVALUATION_LIMIT_MS): T {
  for (let attempt = 1; ; attempt += 1) {
    const before = process.cpuUsage();
    try {
      return runLimited(work, limitMs);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.cpuUsage(before);
      const wasAtWork = (user + system) / 1000 > limitMs / 2;
      if (wasAtWork || attempt === TRIES) throw new TimeLimitExceeded(limitMs);
    }
  }
}

function runLimited<T>(work: () => T, limitMs: number): T {
  box ??= createContext({ work: undefined });
  script ??= new Script('work()');
  const outer = box.work;
  box.work = work;
  try {
    return script.runInContext(box, { timeout: limitMs }) as T;
  } finally {
    box.work = outer;
  }
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
