import { KairosError } from '../../base/errors.ts';
import type { PatternTools } from '../../proof/verdict.ts';
import { DAYS } from '../../protocol/terms.ts';
import type { ApprovalClass, Proposal, ProposalTarget } from '../proposal.ts';
import type { Policy, PolicyRule, PolicyWindow } from './schema.ts';

const CLASS_ORDER: readonly ApprovalClass[] = ['none', 'single', 'dual', 'threshold'];

/** The stricter of several classes. */
export function strictest(classes: readonly ApprovalClass[]): ApprovalClass {
  return classes.reduce((a, b) => (CLASS_ORDER.indexOf(a) >= CLASS_ORDER.indexOf(b) ? a : b), 'none');
}

/** Whether `a` asks for no less than `b`. */
export function isAtLeast(a: ApprovalClass, b: ApprovalClass): boolean {
  return CLASS_ORDER.indexOf(a) >= CLASS_ORDER.indexOf(b);
}

/** Every rule that covers an action on a target: all of them bind together, so their order means nothing. */
export function rulesFor(
  policy: Policy | null,
  { action_type, target }: Partial<Pick<Proposal, 'action_type' | 'target'>>,
  patterns: PatternTools,
): PolicyRule[] {
  if (policy === null || action_type === undefined || target === undefined) return [];
  return policy.rules.filter((rule) => uncoveredReason(rule, { action_type, target }, patterns) === null);
}

export const TARGET_KEYS = [
  'resource_type',
  'resource_id',
  'domain',
] as const satisfies (keyof ProposalTarget)[];

/** What marks a name of a policy as an RE2 pattern. */
export const PATTERN_MARK = '~';

/** Why a rule doesn't cover an action on a target; null when it does. */
export function uncoveredReason(
  { match }: PolicyRule,
  { action_type, target }: Pick<Proposal, 'action_type' | 'target'>,
  patterns: PatternTools,
): string | null {
  if (match.action_types?.includes(action_type) === false)
    return `action ${action_type} is not ${match.action_types.join(', ')}`;
  const key = TARGET_KEYS.find(
    (one) => match[one]?.some((name) => matchesName(name, target[one], patterns)) === false,
  );
  return key === undefined ? null : `${key} ${JSON.stringify(target[key])} is not ${match[key]!.join(', ')}`;
}

/** The pattern of a name that begins with `~`, in the form that is matched. */
export function patternOf(name: string): string {
  return `(?is)${name.slice(PATTERN_MARK.length)}`;
}

/**
 * Whether a name of the policy, or its pattern after `~`, means this value. Letter case doesn't matter. Throws when the
 * pattern is too slow: a rule that may cover a value can't be left out.
 */
export function matchesName(name: string, value: string, patterns: Pick<PatternTools, 'fullMatch'>): boolean {
  if (!name.startsWith(PATTERN_MARK)) return foldedName(name) === foldedName(value);
  const isMatch = patterns.fullMatch(patternOf(name), value);
  if (isMatch !== undefined) return isMatch;
  throw new KairosError(
    'INVALID_INPUT',
    `The pattern ${name} of the policy is too slow for a value of ${value.length} characters.`,
    { hint: 'Use a simpler pattern in the policy, or a shorter value.' },
  );
}

/** A name without what its spelling may vary in: letter case, and forms that Unicode calls compatible. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** The smallest of the values that are set; undefined when none is. */
export function smallest(values: readonly (number | undefined)[]): number | undefined {
  const set = values.filter((value) => value !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

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

/** Instants in winter and summer of both halves of the earth, when zones are apart in different ways. */
const SEASONS = ['2026-01-15', '2026-04-01', '2026-07-15', '2026-10-28'].map((day) => Date.parse(day));
const WEEK = 7 * 24 * 60;

/** Whether there is a time at which windows of both lists are open. Left out: at any time. */
export function shareTime(a: PolicyWindow[] | undefined, b: PolicyWindow[] | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  return SEASONS.some((at) => {
    const [left, right] = [spans(a, at), spans(b, at)];
    return left.some(([from, until]) => right.some(([start, end]) => from < end && start < until));
  });
}

/** The windows as minutes since Monday, UTC, with the offsets of their zones at an instant. */
function spans(windows: readonly PolicyWindow[], at: number): [from: number, until: number][] {
  return windows.flatMap(({ days = DAYS, from, until, time_zone }) => {
    const ahead = minuteOfWeek(localTime(at, time_zone)) - minuteOfWeek(localTime(at, 'UTC'));
    return days.flatMap((day) => {
      const start = DAYS.indexOf(day) * 24 * 60 - ahead;
      // A week before and after: the offset may lead over its end.
      return [-WEEK, 0, WEEK].map((week): [number, number] => [
        start + minutesOf(from) + week,
        start + minutesOf(until) + week,
      ]);
    });
  });
}

function minuteOfWeek({ day, minutes }: { day: (typeof DAYS)[number]; minutes: number }): number {
  return DAYS.indexOf(day) * 24 * 60 + minutes;
}

/** What a rule asks for: `dual`, or for example `2 of ada, bob, at least 1 of owners`. Approvals bind it. */
export function asksText({
  approval_class,
  threshold,
}: Pick<PolicyRule, 'approval_class' | 'threshold'>): string {
  if (threshold === undefined) return approval_class;
  const groups = threshold.groups.map(({ n, name }) => `, at least ${n} of ${name}`);
  return `${threshold.n} of ${threshold.of.join(', ')}${groups.join('')}`;
}

/** What a rule asks for, for people: `two people`. */
export function asksWords(asks: string): string {
  return ASKED[asks] ?? asks;
}

const ASKED: Readonly<Record<string, string>> = {
  none: 'no approval',
  single: 'one person',
  dual: 'two people',
};

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
