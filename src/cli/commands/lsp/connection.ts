import {
  type CancellationToken,
  type Connection,
  createConnection,
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
  type WatchDog,
} from 'vscode-languageserver';
import {
  createProtocolConnection,
  Message,
  type MessageConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import * as z from 'zod/mini';
import type { CliIo } from '../../io.ts';

const textDocument = z.object({ uri: z.string() });
const position = z.object({ line: z.uint32(), character: z.uint32() });
const inDocument = z.object({ textDocument });
const atPosition = z.object({ textDocument, position });

/** By request: the parameters that kairos reads. */
const PARAMS: Readonly<Record<string, z.ZodMiniType>> = {
  initialize: z.object({ capabilities: z.object({}) }),
  'textDocument/completion': atPosition,
  'textDocument/hover': atPosition,
  'textDocument/definition': atPosition,
  'textDocument/documentSymbol': inDocument,
  'textDocument/formatting': inDocument,
  'textDocument/codeLens': inDocument,
  'textDocument/codeAction': z.object({
    textDocument,
    range: z.object({ start: position, end: position }),
    context: z.object({ only: z.optional(z.array(z.string())) }),
  }),
  'codeAction/resolve': z.object({ data: textDocument }),
  'codeLens/resolve': z.object({ data: z.object({ uri: z.string(), slug: z.string() }) }),
  'workspace/executeCommand': z.object({ command: z.string(), arguments: z.nullish(z.array(z.unknown())) }),
};

/** A connection to the editor on standard input and output. `isOver`: nothing is logged to an editor that has gone. */
export function openConnection(
  { stdin, stdout }: Pick<CliIo, 'stdin' | 'stdout'>,
  watchDog: WatchDog,
  isOver: () => boolean,
): Connection {
  const writer = new StreamMessageWriter(stdout);
  const reader = messageReader(stdin, writer);
  return createConnection((logger) => {
    // The library would throw for a message to an editor that has gone.
    const log = (level: 'error' | 'warn' | 'info' | 'log') => (message: string) => {
      if (!isOver() && stdout.writable) logger[level](message);
    };
    const safe = { error: log('error'), warn: log('warn'), info: log('info'), log: log('log') };
    return byTheRules(createProtocolConnection(reader, writer, safe));
  }, watchDog);
}

/** A reader that rejects unreadable messages with the errors of JSON-RPC 2.0. The library only logs them. */
function messageReader(stdin: NodeJS.ReadableStream, writer: StreamMessageWriter): StreamMessageReader {
  const refuse = (code: number, message: string, id: unknown = null) => {
    const answer = { jsonrpc: '2.0', id, error: { code, message } };
    // An editor that has gone reads no answer.
    writer.write(answer).catch(() => undefined);
  };
  const reader = new StreamMessageReader(stdin);
  reader.onError(() => refuse(ErrorCodes.ParseError, 'the message is not JSON with a Content-Length'));
  const listen = reader.listen.bind(reader);
  reader.listen = (callback) =>
    listen((message: Message | null) => {
      const isKnown = [Message.isRequest, Message.isNotification, Message.isResponse].some((is) =>
        is(message!),
      );
      if (isKnown) callback(message!);
      else
        refuse(
          ErrorCodes.InvalidRequest,
          'neither a request nor a notification',
          (message as { id?: unknown } | null)?.id,
        );
    });
  return reader;
}

export const CANCELLED = new ResponseError(LSPErrorCodes.RequestCancelled, 'the request was cancelled');

/**
 * A connection by the rules of the specification (3.17): `initialize` comes first and once, only `exit` follows `shutdown`, unreadable
 * parameters are refused, and a cancelled request is answered immediately.
 */
function byTheRules(connection: ProtocolConnection): ProtocolConnection {
  let phase: 'new' | 'open' | 'ended' = 'new';
  const refusal = (method: string): ResponseError | null => {
    if (phase === 'ended') return new ResponseError(ErrorCodes.InvalidRequest, 'the server was shut down');
    if (phase === 'new' && method !== 'initialize')
      return new ResponseError(ErrorCodes.ServerNotInitialized, 'send initialize first');
    if (phase === 'open' && method === 'initialize')
      return new ResponseError(ErrorCodes.InvalidRequest, 'the server is already initialized');
    return null;
  };
  (connection as MessageConnection).onRequest(
    (method) => refusal(method) ?? new ResponseError(ErrorCodes.MethodNotFound, `unknown method ${method}`),
  );
  const onRequest = (type: Method, handler: (...args: unknown[]) => unknown) => {
    const method = nameOf(type);
    return connection.onRequest(method, async (...args: unknown[]) => {
      const token = args.at(-1) as CancellationToken;
      const refused = refusal(method) ?? unreadable(method, args.slice(0, -1));
      if (refused !== null) return refused;
      if (method === 'initialize') phase = 'open';
      if (method === 'shutdown') phase = 'ended';
      if (token.isCancellationRequested) return CANCELLED;
      const cancelled = new Promise((resolve) => token.onCancellationRequested(() => resolve(CANCELLED)));
      return Promise.race([handler(...args), cancelled]);
    });
  };
  const onNotification = (type: Method, handler: (...args: unknown[]) => void) => {
    const method = nameOf(type);
    return connection.onNotification(method, (...args: unknown[]) => {
      if (phase === 'open' || method === 'exit') handler(...args);
    });
  };
  return { ...connection, onRequest, onNotification } as ProtocolConnection;
}

type Method = string | { method: string };

function nameOf(type: Method): string {
  return typeof type === 'string' ? type : type.method;
}

function unreadable(method: string, params: readonly unknown[]): ResponseError | null {
  const read = PARAMS[method]?.safeParse(params[0]);
  if (read === undefined || (read.success && params.length === 1)) return null;
  const place = read.error?.issues[0]?.path.join('.') || 'params';
  return new ResponseError(ErrorCodes.InvalidParams, `${method}: ${place} can't be read`);
}
