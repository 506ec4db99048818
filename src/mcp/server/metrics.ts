import type { Writable } from 'node:stream';

/** Names and values that distinguish the series of a metric. */
type Labels = Readonly<Record<string, string>>;

interface Counter {
  add(labels?: Labels, by?: number): void;
}
interface Histogram {
  /** In the metric's own unit. */
  observe(value: number, labels?: Labels): void;
}

/** What the server counts, in the Prometheus text format 0.0.4. */
export interface Metrics {
  counter(name: string, help: string): Counter;
  histogram(name: string, help: string, buckets?: readonly number[]): Histogram;
  /** Read when the text is made. */
  gauge(name: string, help: string, read: () => number): void;
  text(): string;
}

/** Seconds: from a call that only reads to a command that runs for an hour. */
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600, 3600] as const;

/** A separate registry; the same name again is the same metric. */
export function createMetrics(): Metrics {
  const families = new Map<string, { head: string; lines: () => string[]; metric: unknown }>();

  function family<T>(
    name: string,
    help: string,
    type: string,
    make: () => { metric: T; lines: () => string[] },
  ): T {
    const known = families.get(name);
    if (known !== undefined) return known.metric as T;
    const made = make();
    families.set(name, { head: `# HELP ${name} ${help}\n# TYPE ${name} ${type}`, ...made });
    return made.metric;
  }

  return {
    counter: (name, help) => family(name, help, 'counter', () => counter(name)),
    histogram: (name, help, buckets = SECONDS) =>
      family(name, help, 'histogram', () => histogram(name, buckets)),
    gauge: (name, help, read) => {
      family(name, help, 'gauge', () => ({ metric: null, lines: () => [`${name} ${read()}`] }));
    },
    text: () =>
      `${[...families.values()].map(({ head, lines }) => [head, ...lines()].join('\n')).join('\n')}\n`,
  };
}

function counter(name: string): { metric: Counter; lines: () => string[] } {
  const values = new Map<string, number>();
  return {
    metric: {
      add: (labels = {}, by = 1) => {
        const key = labelText(labels);
        values.set(key, (values.get(key) ?? 0) + by);
      },
    },
    lines: () => [...values].map(([labels, value]) => `${name}${labels} ${value}`),
  };
}

function histogram(name: string, buckets: readonly number[]): { metric: Histogram; lines: () => string[] } {
  const series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();
  return {
    metric: {
      observe: (value, labels = {}) => {
        const key = labelText(labels);
        const own = series.get(key) ?? { labels, counts: buckets.map(() => 0), sum: 0, count: 0 };
        series.set(key, own);
        own.sum += value;
        own.count += 1;
        buckets.forEach((bound, at) => {
          if (value <= bound) own.counts[at]! += 1;
        });
      },
    },
    lines: () =>
      [...series.values()].flatMap(({ labels, counts, sum, count }) => [
        ...buckets.map(
          (bound, at) => `${name}_bucket${labelText({ ...labels, le: String(bound) })} ${counts[at]}`,
        ),
        `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
        `${name}_sum${labelText(labels)} ${sum}`,
        `${name}_count${labelText(labels)} ${count}`,
      ]),
  };
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

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
