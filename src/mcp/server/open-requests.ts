/**
 * The requests of a connection that have not been answered. The SDK knows a running call by its id alone: of two with the
 * same id only one could be cancelled, or ended with the connection, and nobody could tell their answers apart.
 */
export class OpenRequests {
  readonly #ids = new Set<Id>();

  /** Told of what comes in. False for a request with the id of an open one: it is not to be passed on, nor is its batch. */
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

  /** Told of each message that goes out. */
  answered(message: object): void {
    if ('id' in message && !('method' in message)) this.#ids.delete(message.id as Id);
  }

  /** What was admitted came to nothing: no call was made of it. */
  forget(body: unknown): void {
    for (const id of messagesOf(body).map(idOf)) if (id !== null) this.#ids.delete(id);
  }
}

type Id = string | number;

/** Whatever else is in a body is refused further in. */
function messagesOf(body: unknown): Record<string, unknown>[] {
  return (Array.isArray(body) ? body : [body]).filter((part) => typeof part === 'object' && part !== null);
}

/** Null for what is no request. */
function idOf({ id, method }: Record<string, unknown>): Id | null {
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/** For whoever is refused. */
export const ID_IN_USE = 'the id is that of a request that has not been answered yet';
