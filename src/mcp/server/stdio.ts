import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.ts';
import { LineTransport } from './line-transport.ts';
import type { ServerServices } from './services.ts';

/** How long calls may still be answered after the input has ended, in milliseconds. */
const LAST_ANSWERS_MS = 1000;

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
  const transport = new LineTransport(stdin, stdout, {
    refused: ({ error }) => log.warn('message refused', { code: error.code, reason: error.message }),
    settled: () => activity.idle(LAST_ANSWERS_MS),
  });
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
  await lastWords(stdout);
  log.info('connection closed', { transport: 'stdio', session });
}

/** What was written already is waited for, but not for a client that reads no more: it would keep the process for ever. */
async function lastWords(stdout: Writable): Promise<void> {
  if (stdout.writableLength === 0) return;
  const written = new Promise<void>((resolve) => stdout.write('', () => resolve()));
  await Promise.race([written, delay(LAST_ANSWERS_MS, undefined, { ref: false })]);
  if (stdout.writableLength === 0) return;
  stdout.destroy(Object.assign(new Error('nobody reads what was written'), { code: 'EPIPE' }));
  // Then whoever waits for the output has heard of it.
  await delay(0);
}
