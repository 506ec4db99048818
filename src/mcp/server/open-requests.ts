import { isJSONRPCNotification, isJSONRPCRequest } from '@modelcontextprotocol/server';

/**
 * The requests of a connection that have not been answered. The SDK knows a running call by its id alone: of two with the
 * same id only one could be cancelled, or ended with the connection, and nobody could tell their answers apart.
 */
export class OpenRequests {
  readonly #ids = new Set<string | number>();

  /** Told of what comes in. False for a request with the id of an open one: it is not to be passed on, nor is its batch. */
  admit(body: unknown): boolean {
    const messages = Array.isArray(body) ? body : [body];
    const ids = messages.filter(isJSONRPCRequest).map(({ id }) => id);
    if (new Set(ids).size < ids.length || ids.some((id) => this.#ids.has(id))) return false;
    for (const id of ids) this.#ids.add(id);
    for (const message of messages) {
      // It will not be answered.
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
        this.#ids.delete(message.params?.requestId as string | number);
      }
    }
    return true;
  }

  /** Told of each message that goes out. */
  answered(message: object): void {
    if ('id' in message && !('method' in message)) this.#ids.delete(message.id as string | number);
  }

  /** What was admitted came to nothing: no call was made of it. */
  forget(body: unknown): void {
    for (const message of Array.isArray(body) ? body : [body]) {
      if (isJSONRPCRequest(message)) this.#ids.delete(message.id);
    }
  }
}

/** For whoever is refused. */
export const ID_IN_USE = 'the id is that of a request that has not been answered yet';
