import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';

/** What the revisions before 2026-07-28 say of a resource that is not there; that one, as the SDK always does, says -32602. */
const NOT_FOUND = -32002;

/** Answers clients of the 2025 revisions by the code of theirs. The SDK lets no handler say it, so it is put in as answers leave. */
export function sayNotFound(server: Server): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(renamed(message), options);
    return connect(transport);
  };
}

function renamed(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || !isMissing(message.error.data)) return message;
  return { ...message, error: { ...message.error, code: NOT_FOUND } };
}

/** The SDK's own mark of this error: a URI and nothing else. */
function isMissing(data: unknown): boolean {
  return (
    data !== null &&
    typeof data === 'object' &&
    Object.keys(data).join() === 'uri' &&
    typeof (data as { uri: unknown }).uri === 'string'
  );
}
