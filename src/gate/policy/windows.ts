import { DAYS, type PolicyWindow } from './schema.ts';

/** Minutes since midnight of a local time like `09:30`. */
export function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Whether this is a time zone that can be calculated with. */
export function isKnownTimeZone(name: string): boolean {
  try {
    localTime(0, name);
    return true;
  } catch {
    return false;
  }
}

/** Whether one of the windows is open at an instant, in milliseconds since the epoch. */
export function isOpenAt(windows: readonly PolicyWindow[], at: number): boolean {
  return windows.some(({ days = DAYS, from, until, time_zone }) => {
    const { day, minutes } = localTime(at, time_zone);
    return days.includes(day) && minutesOf(from) <= minutes && minutes < minutesOf(until);
  });
}

/** A window for people, for example `mon, tue 09:00 to 17:00 Europe/Vienna`. */
export function windowText({ days, from, until, time_zone }: PolicyWindow): string {
  return `${days === undefined ? 'every day' : days.join(', ')} ${from} to ${until} ${time_zone}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localTime(at: number, timeZone: string): { day: (typeof DAYS)[number]; minutes: number } {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    day: parts.weekday!.toLowerCase() as (typeof DAYS)[number],
    minutes: Number(parts.hour) * 60 + Number(parts.minute),
  };
}
