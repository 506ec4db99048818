import { setTimeout as delay } from 'node:timers/promises';

/**
 * The unanswered requests of a connection. The SDK identifies a running call only by its id. Of two calls with the same id,
 * it could cancel only one or end only one with the connection, and clients couldn't distinguish their responses.
 */
export class OpenRequests {
  readonly #ids = new Set<Id>();

  /**
   * Gets every incoming message. False for a request with the id of an open one: neither it nor its batch is
   * passed on.
   */
  admit(body: unknown): boolean {
    const messages = messagesOf(body);
    const ids = messages.map(idOf).filter((id) => id !== null);
    if (new Set(ids).size < ids.length || ids.some((id) => this.#ids.has(id))) return false;
    for (const id of ids) this.#ids.add(id);
    for (const message of messages) {
      // It will not be answered.
      if (message.method === 'notifications/cancelled') {
        const params = message.params as { requestId?: Id } | null | undefined;
        if (params?.requestId !== undefined) this.#ids.delete(params.requestId);
      }
    }
    return true;
  }

  /** Gets every outgoing message. */
  answered(message: object): void {
    if ('id' in message && !('method' in message)) this.#ids.delete(message.id as Id);
  }

  /** What was admitted came to nothing: no call was made of it. */
  forget(body: unknown): void {
    for (const id of messagesOf(body).map(idOf)) if (id !== null) this.#ids.delete(id);
  }
}

type Id = string | number;

/** Other content of a body is rejected later. */
function messagesOf(body: unknown): Record<string, unknown>[] {
  return (Array.isArray(body) ? body : [body]).filter((part) => typeof part === 'object' && part !== null);
}

/** Null for anything but a request. */
function idOf({ id, method }: Record<string, unknown>): Id | null {
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** The error for the caller. */
export const ID_IN_USE = 'the id is that of a request that has not been answered yet';

/** The calls that are being worked on, so that a server can end without breaking one off half way. */
export interface Activity {
  readonly count: number;
  track<T>(work: Promise<T>): Promise<T>;
  /** Resolves to true when no request is open, or to false after this many milliseconds. */
  idle(ms: number): Promise<boolean>;
}

export function createActivity(): Activity {
  const running = new Set<Promise<unknown>>();
  return {
    get count() {
      return running.size;
    },
    track(work) {
      running.add(work);
      const done = () => running.delete(work);
      work.then(done, done);
      return work;
    },
    async idle(ms) {
      const timer = new AbortController();
      const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
      // Work that begins while other work ends is waited for as well.
      const settled = (async () => {
        while (running.size > 0) await Promise.allSettled([...running]);
        return true;
      })();
      const done = await Promise.race([settled, late]);
      timer.abort();
      return done;
    },
  };
}
