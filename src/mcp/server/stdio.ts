import { randomUUID } from 'node:crypto';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.ts';
import { lineReader } from './lines.ts';
import { type Refusal, refuseLength, refuseLine } from './refuse-line.ts';
import type { ServerServices } from './services.ts';

/** How long calls may still be answered after the input has ended, in milliseconds. */
const LAST_ANSWERS_MS = 1000;
/** The time in which a message that was read becomes a call that is tracked. */
const PICKED_UP_MS = 20;
/** A larger message is refused unread: documents are at most 1 MiB. */
const MAX_MESSAGE_BYTES = 10 << 20;

/**
 * Serves one client over standard input and output, whichever protocol era it opens with. Resolves when the input
 * ends, the output breaks, or `stop` is aborted. Nothing but protocol messages is written to `stdout`.
 */
export async function serveOverStdio(
  services: ServerServices,
  { stdin, stdout, stop }: { stdin: Readable; stdout: Writable; stop: AbortSignal },
): Promise<void> {
  const { log, activity } = services;
  const session = randomUUID();
  const refuse = (refusal: Refusal) => {
    log.warn('message refused', { code: refusal.error.code, reason: refusal.error.message });
    stdout.write(`${JSON.stringify(refusal)}\n`);
  };
  const input = messages(stdin, refuse, () => activity.idle(LAST_ANSWERS_MS));
  const transport = new StdioServerTransport(input, stdout, { maxBufferSize: MAX_MESSAGE_BYTES + 1 });
  const handle = serveStdio(
    ({ era }) => {
      log.info('connection opened', { transport: 'stdio', era, session });
      return createServer(services, { actor: services.ctx.caller.actor, session, modern: era === 'modern' });
    },
    { transport, onerror: (error) => log.warn('protocol error', { error: error.message }) },
  );
  const ended = new Promise<void>((resolve) => {
    const closed = transport.onclose;
    transport.onclose = () => {
      closed?.();
      resolve();
    };
  });
  const close = () => void handle.close();
  stop.addEventListener('abort', close);
  if (stop.aborted) close();
  await ended;
  stop.removeEventListener('abort', close);
  stdin.destroy();
  log.info('connection closed', { transport: 'stdio', session });
}

/**
 * The lines of the input that are messages; what is none is refused here, since further in nobody would answer it. The end
 * comes only when what was asked before it has been answered: `printf … | kairos serve` works.
 */
function messages(
  stdin: Readable,
  refuse: (refusal: Refusal) => void,
  settled: () => Promise<unknown>,
): Readable {
  const input = new PassThrough();
  const reader = lineReader(MAX_MESSAGE_BYTES, {
    onLine(line) {
      const text = line.toString().trim();
      if (text === '') return;
      const refusal = refuseLine(text);
      if (refusal === null) input.write(`${text}\n`);
      else refuse(refusal);
    },
    onTooLong: () => refuse(refuseLength(MAX_MESSAGE_BYTES)),
  });
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    reader.end();
    void delay(PICKED_UP_MS)
      .then(settled)
      .then(() => input.end());
  };
  stdin.on('data', (chunk: Buffer) => reader.push(chunk));
  stdin.on('end', end);
  stdin.on('close', end);
  stdin.on('error', end);
  return input;
}
