const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const;

/**
 * A length of time for people, from milliseconds: `350 ms`, `4.2 s`, `58 s`, `3 min 5 s`, `2 h`, `1 d 4 h`.
 * Cut off, never rounded up, to at most two units; below ten seconds to a tenth. Negative counts as zero.
 */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, Math.floor(milliseconds));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const first = UNITS.findIndex((unit) => ms >= unit.ms);
  const [big, small] = [UNITS[first], UNITS[first + 1]];
  if (big === undefined || small === undefined) return `${Math.floor(ms / 1000)} s`;
  const rest = Math.floor((ms % big.ms) / small.ms);
  const whole = `${Math.floor(ms / big.ms)} ${big.name}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small.name}`;
}

/** An instant in local time, for example `2026-01-31 14:00:05`; `short`: without the seconds. */
export function localTime(instant: string, timeStyle: 'short' | 'medium' = 'medium'): string {
  return Number.isNaN(Date.parse(instant))
    ? instant
    : zonedTime(instant).slice(0, timeStyle === 'short' ? 16 : 19);
}

/** An instant in local time with its offset, for example `2026-01-31 14:00:05 +01:00`. */
export function zonedTime(instant: string): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return instant;
  const minutes = -new Date(at).getTimezoneOffset();
  const iso = (ms: number) => new Date(ms).toISOString();
  const time = iso(at + minutes * 60_000)
    .slice(0, 19)
    .replace('T', ' ');
  return `${time} ${minutes < 0 ? '-' : '+'}${iso(Math.abs(minutes) * 60_000).slice(11, 16)}`;
}

/** An instant in local time with its zone, and how far away it is. */
export function localInstant(instant: string, { timeZone, now }: { timeZone?: string; now: number }): string {
  const at = Date.parse(instant);
  const text = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone === undefined ? {} : { timeZone }),
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(at);
  const seconds = Math.round(Math.abs(at - now) / 1000);
  const minutes = Math.round(seconds / 60);
  const span =
    seconds < 60 ? `${seconds} s` : minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `${text} (${at <= now ? `${span} ago` : `in ${span}`})`;
}
