import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CancellationToken,
  type CompletionItem,
  CompletionItemKind,
  type DocumentSymbol,
  ErrorCodes,
  LSPErrorCodes,
  MarkupKind,
  type Range,
  ResponseError,
  SymbolKind,
  type TextEdit,
} from 'vscode-languageserver';
import {
  Message,
  type MessageConnection,
  type ProtocolConnection,
  StreamMessageReader,
  type StreamMessageWriter,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod/mini';
import { packageFile } from '../../../base/package-root.ts';
import { type EditorFileKind, type EditorFinding, fileKind } from '../../../operations/editor/check.ts';
import type { OutlineEntry } from '../../../operations/editor/outline.ts';
import type { Suggestion } from '../../../operations/editor/region.ts';
import type { Place } from '../../../protocol/model.ts';

/** The path of a document; null for one that isn't a file of this machine. */
export function pathOf(uri: string): string | null {
  if (!uri.startsWith('file:')) return null;
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

/** What a document is: by its name, or a protocol if an editor calls a document without a file markdown. */
export function documentKind({ uri, languageId }: TextDocument): EditorFileKind | null {
  const path = pathOf(uri);
  return path === null && languageId === 'markdown' ? 'protocol' : fileKind(path ?? uri);
}

const SEVERITIES = { error: 1, warning: 2, info: 3 } as const;

export function diagnosticOf(document: TextDocument, finding: EditorFinding) {
  return {
    range: rangeOf(document, finding.range),
    severity: SEVERITIES[finding.severity],
    source: 'kairos',
    code: finding.rule,
    message: finding.message,
    ...(finding.url === null
      ? {}
      : { codeDescription: { href: pathToFileURL(packageFile(finding.url)).href } }),
  };
}

export function rangeOf(document: TextDocument, [from, to]: readonly [number, number]) {
  return { start: document.positionAt(from), end: document.positionAt(to) };
}

/** The range of a place: editors count lines and UTF-16 units from 0. */
export function rangeAt({ start, end }: Place): Range {
  return {
    start: { line: start.line - 1, character: start.column - 1 },
    end: { line: end.line - 1, character: end.column - 1 },
  };
}

const ITEM_KINDS = {
  key: CompletionItemKind.Property,
  value: CompletionItemKind.Value,
  word: CompletionItemKind.Keyword,
  name: CompletionItemKind.Variable,
};

export function completionItem(
  document: TextDocument,
  { label, kind, documentation, insert, range }: Suggestion,
): CompletionItem {
  return {
    label,
    kind: ITEM_KINDS[kind],
    documentation: { kind: MarkupKind.Markdown, value: documentation },
    // Editors compare with what is written, quotes included.
    filterText: insert,
    textEdit: { range: rangeOf(document, range), newText: insert },
  };
}

const SYMBOL_KINDS = { chain: SymbolKind.Class, section: SymbolKind.Property, step: SymbolKind.Method };

export function symbolOf({ name, detail, kind, place, labelPlace, children }: OutlineEntry): DocumentSymbol {
  return {
    name,
    ...(detail === undefined ? {} : { detail }),
    kind: SYMBOL_KINDS[kind],
    range: rangeAt(place),
    selectionRange: rangeAt(labelPlace),
    ...(children === undefined ? {} : { children: children.map(symbolOf) }),
  };
}

/** The smallest edit from one text to another; none where they are the same. */
export function editsBetween(document: TextDocument, before: string, after: string): TextEdit[] {
  if (before === after) return [];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const newText = after.slice(start, after.length - end);
  return [{ range: rangeOf(document, [start, before.length - end]), newText }];
}

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

/** A reader that rejects unreadable messages with the errors of JSON-RPC 2.0. The library only logs them. */
export function messageReader(
  stdin: NodeJS.ReadableStream,
  writer: StreamMessageWriter,
): StreamMessageReader {
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
export function byTheRules(connection: ProtocolConnection): ProtocolConnection {
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
