import type { Writable } from 'node:stream';

/** From most to least severe. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Structured logs: one JSON object a line. */
export type Log = Record<LogLevel, (event: string, fields?: Record<string, unknown>) => void>;

/**
 * Writes events at `level` and above to a stream (standard error, because standard output belongs to the
 * protocol). Lines are ASCII, so that no field can control a terminal, and secrets are redacted.
 */
export function createLog(
  stream: Writable,
  level: LogLevel,
  { now, redact }: { now: () => number; redact: (text: string) => string },
): Log {
  const least = LOG_LEVELS.indexOf(level);
  const writer =
    (name: LogLevel) =>
    (event: string, fields: Record<string, unknown> = {}) => {
      if (LOG_LEVELS.indexOf(name) < least) return;
      const line = JSON.stringify({ at: new Date(now()).toISOString(), level: name, event, ...fields });
      stream.write(`${ascii(redact(line))}\n`);
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
