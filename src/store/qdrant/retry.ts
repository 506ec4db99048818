/** How often and how long a request is tried again. Milliseconds. */
export interface RetryPolicy {
  /** Tries in all. */
  attempts: number;
  /** All tries for a server that accepts no connection. */
  connectAttempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
  /** No try begins later than this after the first. */
  withinMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  attempts: 6,
  connectAttempts: 4,
  firstDelayMs: 100,
  longestDelayMs: 5_000,
  withinMs: 30_000,
};

/** A failure that may be gone the next time. Every request that is sent may safely be sent twice. */
export interface Passing {
  /** The message and hint for a permanent failure. */
  reason: string;
  hint: string;
  /** No server listens there. */
  refusedConnection?: boolean;
  /** What the server asked to wait, in milliseconds. */
  waitMs?: number | null;
  /** That is the first digit of what it asked, so the least that it may have been. */
  waitIsCut?: boolean;
}

/**
 * How long to wait before try number `tries` + 1, or null to give up: exponential with full jitter (M. Brooker,
 * "Exponential Backoff And Jitter", 2015), and never shorter than the server asked. Where only the least is known
 * of what it asked, that is doubled with each try.
 */
export function delayBefore(
  failure: Passing,
  tries: number,
  elapsedMs: number,
  policy: RetryPolicy,
  random: () => number,
): number | null {
  const most = failure.refusedConnection ? policy.connectAttempts : policy.attempts;
  if (tries >= most) return null;
  const longest = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (tries - 1));
  const asked = (failure.waitMs ?? 0) * (failure.waitIsCut ? 2 ** (tries - 1) : 1);
  const delay = Math.max(asked, random() * longest);
  return elapsedMs + delay > policy.withinMs ? null : delay;
}

/** Milliseconds of a Retry-After header (RFC 9110, 10.2.3): seconds or a date. Null for anything else. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
