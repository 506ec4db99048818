import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Message, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { type CliHome, type Launched, launchKairos, makeHome } from '../support/cli.ts';

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

interface Sent {
  id?: number | string;
  method: string;
  params?: unknown;
}

interface Received extends Message {
  id?: number | string | null;
  method?: string;
  result?: unknown;
  error?: { code: number; message: string };
}

/** The messages of a client, sent as they are, and what the server answers. */
class Wire {
  readonly #writer: StreamMessageWriter;
  readonly received: Received[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly server: Launched;

  constructor(server: Launched) {
    this.server = server;
    this.#writer = new StreamMessageWriter(server.stdin);
    new StreamMessageReader(server.output).listen((message) => {
      this.received.push(message as Received);
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  send(...messages: Sent[]): void {
    for (const message of messages) void this.#writer.write({ jsonrpc: '2.0', ...message } as Message);
  }

  /** The answer to a request, as a code of an error or as the result. */
  async answer(id: number | string): Promise<unknown> {
    for (;;) {
      const found = this.received.find((message) => message.id === id && message.method === undefined);
      if (found !== undefined) return found.error === undefined ? found.result : found.error.code;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

const NOT_JSON = 'the message is not JSON with a Content-Length';
const NO_MESSAGE = 'neither a request nor a notification';
const INITIALIZE = {
  id: 'first',
  method: 'initialize',
  params: { processId: null, rootUri: null, capabilities: {} },
};
const SHUTDOWN = { id: 'last', method: 'shutdown' };
const EXIT = { method: 'exit' };
const uri = 'file:///work/a.md';
const textDocument = { uri };
const start = { line: 0, character: 0 };
const range = { start, end: start };
const hover = { method: 'textDocument/hover', params: { textDocument, position: start } };
const open = (text: string) => ({
  method: 'textDocument/didOpen',
  params: { textDocument: { uri, languageId: 'markdown', version: 1, text } },
});

const openWire = async (...first: Sent[]): Promise<Wire> => {
  const wire = new Wire(await launchKairos(home, ['lsp']));
  wire.send(...first);
  return wire;
};

describe('the rules of the Language Server Protocol', () => {
  it.each<[string, Sent[], unknown]>([
    ['a request before initialize', [{ id: 1, ...hover }], -32_002],
    ['an unknown request before initialize', [{ id: 1, method: 'kairos/nothing' }], -32_002],
    ['shutdown before initialize', [{ id: 1, method: 'shutdown' }], -32_002],
    ['a second initialize', [INITIALIZE, { ...INITIALIZE, id: 1 }], -32_600],
    ['a request after shutdown', [INITIALIZE, SHUTDOWN, { id: 1, ...hover }], -32_600],
    ['initialize after shutdown', [INITIALIZE, SHUTDOWN, { ...INITIALIZE, id: 1 }], -32_600],
    ['a second shutdown', [INITIALIZE, SHUTDOWN, { id: 1, method: 'shutdown' }], -32_600],
    ['initialize without capabilities', [{ id: 1, method: 'initialize', params: {} }], -32_602],
    ['an unknown request', [INITIALIZE, { id: 1, method: 'kairos/nothing', params: {} }], -32_601],
    ['an unknown request with $/', [INITIALIZE, { id: 1, method: '$/nothing', params: {} }], -32_601],
    ['an unknown notification', [INITIALIZE, { method: '$/nothing', params: {} }, { id: 1, ...hover }], null],
    [
      "a notification that can't be read",
      [INITIALIZE, { method: 'textDocument/didOpen', params: {} }, { id: 1, ...hover }],
      null,
    ],
    ["a document that isn't open", [INITIALIZE, { id: 1, ...hover }], null],
    [
      'a document on another machine',
      [
        INITIALIZE,
        {
          ...open('# A\n'),
          params: {
            textDocument: { uri: 'file://host/a.md', languageId: 'markdown', version: 1, text: '# A\n' },
          },
        },
        {
          id: 1,
          method: 'textDocument/documentSymbol',
          params: { textDocument: { uri: 'file://host/a.md' } },
        },
      ],
      [expect.objectContaining({ name: 'A' })],
    ],
    [
      'a place after the end',
      [
        INITIALIZE,
        open('# A\n'),
        {
          id: 1,
          method: 'textDocument/completion',
          params: { textDocument, position: { line: 99, character: 99 } },
        },
      ],
      [],
    ],
    [
      'a cancelled request',
      [
        INITIALIZE,
        open('# A\n'),
        { id: 1, method: 'textDocument/documentSymbol', params: { textDocument } },
        { method: '$/cancelRequest', params: { id: 1 } },
      ],
      -32_800,
    ],
    [
      "a cancelled request that doesn't exist",
      [INITIALIZE, { method: '$/cancelRequest', params: { id: 7 } }, { id: 1, ...hover }],
      null,
    ],
  ])('returns the answer of the specification for %s', async (_name, messages, expected) => {
    const wire = await openWire(...messages);
    expect(await wire.answer(1)).toEqual(expected);
    wire.send(EXIT);
    await wire.server.exit;
  });

  it.each<[string, unknown]>([
    ['textDocument/hover', undefined],
    ['textDocument/hover', null],
    ['textDocument/hover', [textDocument, start]],
    ['textDocument/hover', { textDocument }],
    ['textDocument/hover', { textDocument, position: { line: -1, character: 0 } }],
    ['textDocument/completion', { textDocument: null, position: start }],
    ['textDocument/definition', { textDocument: { uri: 1 }, position: start }],
    ['textDocument/documentSymbol', {}],
    ['textDocument/formatting', { textDocument: {} }],
    ['textDocument/codeLens', 7],
    ['textDocument/codeAction', { textDocument, range }],
    ['textDocument/codeAction', { textDocument, range, context: null }],
    ['textDocument/codeAction', { textDocument, range: null, context: { diagnostics: [] } }],
    ['textDocument/codeAction', { textDocument, range, context: { diagnostics: [], only: 'quickfix' } }],
    ['codeAction/resolve', { title: 'Fix' }],
    ['codeLens/resolve', { range }],
    ['workspace/executeCommand', {}],
    ['workspace/executeCommand', { command: 'kairos.lint', arguments: 'all' }],
  ])("refuses parameters of %s that it can't read: %j", async (method, params) => {
    const wire = await openWire(INITIALIZE, { id: 1, method, ...(params === undefined ? {} : { params }) });
    expect(await wire.answer(1)).toBe(-32_602);
    wire.send(SHUTDOWN);
    expect(await wire.answer(SHUTDOWN.id)).toBeNull();
    wire.send(EXIT);
    expect((await wire.server.exit).code).toBe(0);
  });

  it.each<[string, string, object]>([
    ['no JSON', '{"a":', { id: null, error: { code: -32_700, message: NOT_JSON } }],
    ['nothing', '', { id: null, error: { code: -32_700, message: NOT_JSON } }],
    ['null', 'null', { id: null, error: { code: -32_600, message: NO_MESSAGE } }],
    [
      'a batch',
      '[{"jsonrpc":"2.0","id":3,"method":"shutdown"}]',
      { id: null, error: { code: -32_600, message: NO_MESSAGE } },
    ],
    [
      'a message without a method',
      '{"jsonrpc":"2.0","id":3}',
      { id: 3, error: { code: -32_600, message: NO_MESSAGE } },
    ],
  ])('answers %s with an error, and the next message as usual', async (_name, body, expected) => {
    const wire = await openWire();
    wire.server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    wire.send(INITIALIZE, { id: 1, ...hover });
    expect(await wire.answer(1)).toBeNull();
    expect(wire.received.find(({ error }) => error !== undefined)).toEqual({ jsonrpc: '2.0', ...expected });
    wire.send(EXIT);
    await wire.server.exit;
  });

  it('ignores a document that is opened before initialize', async () => {
    const wire = await openWire(open('# A\n'), INITIALIZE, {
      id: 1,
      method: 'textDocument/documentSymbol',
      params: { textDocument },
    });
    expect(await wire.answer(1)).toEqual([]);
    wire.send(EXIT);
    await wire.server.exit;
  });

  it.each([[['utf-8', 'utf-16']], [['utf-32']], [undefined]])(
    'counts in UTF-16 for an editor that knows %j',
    async (positionEncodings) => {
      const capabilities = { general: { positionEncodings } };
      const wire = await openWire({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } });
      expect(await wire.answer(INITIALIZE.id)).toMatchObject({
        capabilities: { positionEncoding: 'utf-16' },
      });
      wire.send(EXIT);
      await wire.server.exit;
    },
  );

  it.each<[string, Sent[], number]>([
    ['after shutdown', [INITIALIZE, SHUTDOWN, EXIT], 0],
    ['without shutdown', [INITIALIZE, EXIT], 1],
    ['before initialize', [EXIT], 1],
  ])('ends %s with the code of the specification', async (_name, messages, code) => {
    const wire = await openWire(...messages);
    expect((await wire.server.exit).code).toBe(code);
  });
});
