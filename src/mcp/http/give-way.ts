/** What is known of an open session. */
export interface Held {
  actor: string;
  /** Milliseconds since the epoch. */
  usedAt: number;
  /** Calls under way. */
  calls: number;
  /** Streams that wait for news. */
  streams: number;
}

/**
 * The session to close when a caller opens one more and there is no room, or null. The caller with the most
 * sessions, and at least two more than the newcomer, loses one; otherwise two callers would close each
 * other's in turn. Else the newcomer loses its own. A session in use is closed only for another caller and
 * only as a last resort.
 */
export function giveWay(sessions: ReadonlyMap<string, Held>, newcomer: string): string | null {
  const held = new Map<string, number>();
  for (const { actor } of sessions.values()) held.set(actor, (held.get(actor) ?? 0) + 1);
  const most = Math.max(0, ...held.values());
  const own: [string, Held][] = [];
  const theirs: [string, Held][] = [];
  for (const session of sessions) {
    const { actor } = session[1];
    if (actor === newcomer) own.push(session);
    else if (held.get(actor) === most && most >= (held.get(newcomer) ?? 0) + 2) theirs.push(session);
  }
  return (
    longestUnused(theirs, 0) ?? longestUnused(own, 0) ?? longestUnused(theirs, 1) ?? longestUnused(theirs, 2)
  );
}

function longestUnused(sessions: readonly [string, Held][], use: 0 | 1 | 2): string | null {
  let found: [string, Held] | null = null;
  for (const session of sessions) {
    if (useOf(session[1]) !== use) continue;
    if (found === null || session[1].usedAt < found[1].usedAt) found = session;
  }
  return found?.[0] ?? null;
}

/** 0: none, 1: it waits for news, 2: something is being done. */
function useOf({ calls, streams }: Held): 0 | 1 | 2 {
  if (calls > 0) return 2;
  return streams > 0 ? 1 : 0;
}
