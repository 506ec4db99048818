import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { AttestOutput } from '../../src/operations/attest.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type CliHome, KAIROS_BIN, launchKairos, passTime, SPAWNS } from '../support/cli.ts';
import type { InProcess } from '../support/in-process.ts';
import type { Tools } from '../support/walker.ts';

/** Real clients: the older SDK, the newer one speaking 2026-07-28, and the newer one speaking a 2025 revision. */
export const CLIENTS = ['sdk-1', 'sdk-2', 'sdk-2-legacy'] as const;
export type ClientKind = (typeof CLIENTS)[number];
export const TRANSPORTS = ['stdio', 'http'] as const;

export interface ToolResult {
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface CallOptions {
  onprogress?: (progress: { progress: number; message?: string }) => void;
  signal?: AbortSignal;
}

/** What both generations of clients can do, under one name. */
export interface TestClient {
  client: OldClient | Client;
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  close(): Promise<void>;
}

/** What a client does when it is asked; what is absent it does not offer. Throwing answers with an error. */
export interface Answers {
  elicit?: (params: Record<string, unknown>) => unknown;
  sample?: (params: Record<string, unknown>) => unknown;
  /** Paths. */
  roots?: () => string[];
  /** Answers without the time that a person needs to read, as clients without a person do. */
  hasty?: boolean;
}

/** Longer than the server takes a person to need for reading. */
const READING_MS = 1100;

const INFO = { name: 'kairos-tests', version: '1.0.0' };

/** A client of a server of its own over standard streams: in process, or the real binary where the project says so. */
export async function overStdio(
  kind: ClientKind,
  home: CliHome,
  args: readonly string[] = [],
  answers: Answers = {},
): Promise<TestClient> {
  if (!SPAWNS) return connect(kind, await inProcessStdio(home, args), answers);
  return overProcess(kind, home, args, answers);
}

/** A client of the real binary, which it starts itself. */
export async function overProcess(
  kind: ClientKind,
  home: CliHome,
  args: readonly string[] = [],
  answers: Answers = {},
): Promise<TestClient> {
  const start = {
    command: process.execPath,
    args: [KAIROS_BIN, 'serve', ...args],
    env: home.env as Record<string, string>,
    cwd: home.work,
    stderr: 'ignore' as const,
  };
  return connect(kind, kind === 'sdk-1' ? new OldStdio(start) : new StdioClientTransport(start), answers);
}

/** The transport of an MCP client, either SDK's, to `kairos serve` in this process over streams in memory. */
async function inProcessStdio(home: CliHome, args: readonly string[]) {
  const { callMain } = await import('../support/in-process.ts');
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let call: InProcess | undefined;
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    start: async () => {
      call = callMain(['serve', ...args], { env: home.env, cwd: home.work, stdin, stdout });
      createInterface({ input: stdout }).on('line', (line) => transport.onmessage?.(JSON.parse(line)));
      call.exit
        .catch((error: Error) => transport.onerror?.(error))
        .then(() => {
          stdout.end();
          transport.onclose?.();
        });
    },
    send: async (message: unknown) => {
      stdin.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      stdin.end();
      await call?.exit;
    },
  };
  return transport;
}

/** A client of a server that listens at `url`. */
export async function overHttp(
  kind: ClientKind,
  url: string,
  token?: string,
  answers: Answers = {},
): Promise<TestClient> {
  const options =
    token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const at = new URL(url);
  return connect(
    kind,
    kind === 'sdk-1' ? new OldHttp(at, options) : new StreamableHTTPClientTransport(at, options),
    answers,
  );
}

async function connect(kind: ClientKind, transport: unknown, answers: Answers): Promise<TestClient> {
  const capabilities = {
    ...(answers.elicit === undefined ? {} : { elicitation: {} }),
    ...(answers.sample === undefined ? {} : { sampling: {} }),
    ...(answers.roots === undefined ? {} : { roots: {} }),
  };
  const client =
    kind === 'sdk-1'
      ? new OldClient(INFO, { capabilities })
      : new Client(INFO, {
          capabilities,
          versionNegotiation: { mode: kind === 'sdk-2' ? 'auto' : 'legacy' },
        });
  answer(client, answers);
  await client.connect(transport as never);
  return {
    client,
    call: async (name, args, options = {}) => {
      const params = { name, arguments: args };
      return client instanceof OldClient
        ? ((await client.callTool(params, undefined, options)) as ToolResult)
        : ((await client.callTool(params, options)) as ToolResult);
    },
    close: () => client.close(),
  };
}

function answer(client: OldClient | Client, { elicit, sample, roots, hasty }: Answers): void {
  const ask =
    (handler: (params: Record<string, unknown>) => unknown) => async (request: { params?: unknown }) => {
      const given = await handler((request.params ?? {}) as Record<string, unknown>);
      // A model may answer at once.
      const isPersons = /"action"|confirmation/.test(JSON.stringify(given) ?? '');
      if (isPersons && hasty !== true) await passTime(READING_MS);
      return given as never;
    };
  const listed = () => ({ roots: roots!().map((path) => ({ uri: pathToFileURL(path).href })) });
  if (client instanceof OldClient) {
    if (elicit !== undefined) client.setRequestHandler(ElicitRequestSchema, ask(elicit));
    if (sample !== undefined) client.setRequestHandler(CreateMessageRequestSchema, ask(sample));
    if (roots !== undefined) client.setRequestHandler(ListRootsRequestSchema, listed);
    return;
  }
  if (elicit !== undefined) client.setRequestHandler('elicitation/create', ask(elicit));
  if (sample !== undefined) client.setRequestHandler('sampling/createMessage', ask(sample));
  if (roots !== undefined) client.setRequestHandler('roots/list', listed);
}

/** The walking tools of a client; an error result throws. */
export function toolsOf(client: TestClient): Tools {
  const walk = (name: string) => async (input: object) =>
    structured<RunFields & AttestOutput>(await client.call(name, input as Record<string, unknown>));
  return { begin: walk('kairos_begin'), next: walk('kairos_next'), attest: walk('kairos_attest') };
}

/** The structured content, which has to be the same as the text. */
export function structured<T>(result: ToolResult): T {
  const text = result.content[0]?.text ?? '';
  if (result.isError) throw new Error(text);
  if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(result.structuredContent)) {
    throw new Error(`text and structured content differ: ${text}`);
  }
  return result.structuredContent as T;
}

export interface HttpServer {
  url: string;
  /** Without the path of the protocol. */
  origin: string;
  stdout: () => string;
  stderr: () => string;
  signal(name: NodeJS.Signals): void;
  /** Ends it as SIGTERM does, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Serves over HTTP on a free port, in process or by the real binary as the project says, and waits until it listens. */
export async function startHttp(
  home: CliHome,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<HttpServer> {
  const { stdout, stderr, said, signal, exit } = await launchKairos(home, ['serve', '--http', '0', ...args], {
    env,
  });
  const [url = ''] = (await said('\n')).split('\n');
  return {
    url,
    origin: new URL(url).origin,
    stdout,
    stderr,
    signal,
    stop: async () => {
      signal('SIGTERM');
      return (await exit).code;
    },
  };
}
