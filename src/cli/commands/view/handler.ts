import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { streamSSE } from 'hono/streaming';
import { sha256Hex } from '../../../base/canonical.ts';
import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { loadPageAssets, openInBrowser } from '../../../host/page.ts';
import { ENDING_SIGNALS } from '../../../host/system.ts';
import { answerRun, DECLINED, type GivenAnswer } from '../../../operations/answer.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { noteOpen } from '../../../operations/prune.ts';
import { storedRun } from '../../../operations/run/locate.ts';
import type { PageAssets } from '../../../report/page.ts';
import type { Handler } from '../../command.ts';
import { RUN_ASSURANCE, withContext } from '../../context.ts';
import { EXIT, type SignalSource } from '../../io.ts';
import { makePages } from './pages.ts';

/** `kairos view`: serves the page until a signal ends it. With `--json`: `{url}`. */
export const viewCommand: Handler<[], ViewOptions> = (call) =>
  withContext(call, { maximumAssurance: RUN_ASSURANCE }, async (ctx) => {
    const { options, output } = call;
    const { app, invite, close } = createViewApp(ctx, await loadPageAssets(), call.io.now);
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: options.port ?? 0 });
    try {
      await once(server, 'listening');
    } catch (cause) {
      throw new KairosError('INVALID_INPUT', `Can't listen on 127.0.0.1:${options.port ?? 0}`, {
        hint: 'Choose another port with --port, or leave it out for a free one.',
        cause,
      });
    }
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/enter?link=${invite(port)}`;
    if (output.json) output.object({ url });
    else output.print(`Open this link once: ${url}`);
    const end = ended(call.io.signals);
    const failure = options.open === true ? await openInBrowser(url, call.io.env) : null;
    if (failure !== null) output.note(`${failure} Open the link in a browser yourself.`);
    await end;
    close();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    return EXIT.ok;
  });

/** Resolves at the first signal that ends programs. The server keeps the process running until then. */
async function ended(signals: SignalSource): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      for (const signal of ENDING_SIGNALS) signals.removeListener(signal, stop);
      resolve();
    };
    for (const signal of ENDING_SIGNALS) signals.on(signal, stop);
  });
}

export interface ViewOptions {
  port?: number;
  open?: boolean;
}

/** How often the store is checked for open pages, in milliseconds. */
const LOOK_MS = 1000;
const MAX_ANSWER = 64 * 1024;

interface ViewApp {
  app: Hono;
  /** The secret of the one link that admits a browser. `port`: the one that is listened on. */
  invite(port: number): string;
  close(): void;
}

/**
 * The local page. Opening the one-time link sets a cookie. Only requests with that cookie, to and from this address,
 * get a response. It runs no commands and signs nothing.
 */
export function createViewApp(ctx: OperationContext, assets: PageAssets, now: () => number): ViewApp {
  let link: string | null = null;
  let hosts: string[] = [];
  let cookieName = '';
  const cookie = randomBytes(24).toString('hex');
  /** Bound to the cookie: a form of another page cannot have it. */
  const formToken = sha256Hex(`form ${cookie}`);
  const isFormToken = (given: unknown) => typeof given === 'string' && isSame(given, formToken);
  const closing = new AbortController();
  const pages = makePages(ctx, assets, formToken, now);
  const app = new Hono();

  app.use(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('X-Frame-Options', 'DENY');
    c.header('Cross-Origin-Opener-Policy', 'same-origin');
    c.header('Cross-Origin-Resource-Policy', 'same-origin');
    c.header('Referrer-Policy', 'same-origin');
    if (!hosts.includes(c.req.header('host') ?? '')) return c.text('Unknown host', 403);
    const origin = c.req.header('origin');
    if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
      return c.text('Foreign origin', 403);
    if (c.req.path !== '/enter' && !isSame(getCookie(c, cookieName) ?? '', cookie)) {
      return c.text(
        `Open the link that ${programName()} view printed. It works once; start ${programName()} view again for another.`,
        403,
      );
    }
    await next();
  });

  app.get('/enter', (c) => {
    // A HEAD request is answered here too, and shows no page.
    if (c.req.method !== 'GET') return c.text('Open the link in a browser.', 405, { Allow: 'GET' });
    const given = c.req.query('link') ?? '';
    if (link === null || !isSame(given, link))
      return c.text('This link was used already, or is not the printed one.', 403);
    link = null;
    setCookie(c, cookieName, cookie, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return c.redirect('/', 303);
  });

  app.get('/', async (c) => c.html(await pages.runs()));
  app.get('/protocols', async (c) => c.html(await pages.protocols()));
  app.get('/protocols/:slug', async (c) => c.html(await pages.protocol(c.req.param('slug'))));
  app.get('/statistics', async (c) => c.html(await pages.statistics()));
  app.get('/proposals', async (c) => c.html(await pages.proposals()));
  app.get('/runs/:id', async (c) => c.html(await pages.run(await storedRun(ctx, c.req.param('id')))));

  app.post('/runs/:id/answer', async (c) => {
    const { runId } = await storedRun(ctx, c.req.param('id'));
    const { token, answer, station: at, decline } = await c.req.parseBody();
    if (!isFormToken(token)) return c.text(FOREIGN_FORM, 403);
    const isDeclined = decline !== undefined;
    const text = isDeclined ? DECLINED : textOf(answer);
    const station = Number(at);
    const problem =
      text.length > MAX_ANSWER
        ? tooLong('answer', text)
        : await answerProblem(ctx, runId, { text, assurance: 'client', station });
    if (problem === null) return c.redirect(`/runs/${runId}`, 303);
    const refused = { field: 'answer', station, text: isDeclined ? '' : text, problem } as const;
    return c.html(await pages.run(await storedRun(ctx, runId), refused), 409);
  });

  app.post('/runs/:id/note', async (c) => {
    const { runId } = await storedRun(ctx, c.req.param('id'));
    const { token, note } = await c.req.parseBody();
    if (!isFormToken(token)) return c.text(FOREIGN_FORM, 403);
    const text = textOf(note);
    const problem = text.length > MAX_ANSWER ? tooLong('note', text) : await noteProblem(ctx, runId, text);
    if (problem === null) return c.redirect(`/runs/${runId}`, 303);
    return c.html(await pages.run(await storedRun(ctx, runId), { field: 'note', text, problem }), 409);
  });

  // The address of a form that was refused, opened again.
  for (const form of ['answer', 'note'])
    app.get(`/runs/:id/${form}`, (c) => c.redirect(`/runs/${encodeURIComponent(c.req.param('id'))}`, 303));

  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      let seen = await stateOf(ctx);
      while (!closing.signal.aborted && !stream.aborted) {
        await stream.sleep(LOOK_MS);
        if (closing.signal.aborted || stream.aborted) break;
        const at = await stateOf(ctx);
        if (at === seen) await stream.write(':\n\n');
        else await stream.writeSSE({ event: 'changed', data: '' });
        seen = at;
      }
    }),
  );

  app.notFound(async (c) => c.html(await pages.problem('There is no such page.'), 404));
  app.onError((error, c) => problemOf(error, c, pages));

  return {
    app,
    invite(port) {
      // Browsers keep the cookies of all ports of a host together.
      cookieName = `kairos_view_${port}`;
      hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
      link = randomBytes(24).toString('hex');
      return link;
    },
    close: () => closing.abort(),
  };
}

const FOREIGN_FORM = 'This form is not from this page.';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

const tooLong = (what: string, { length }: string) =>
  `The ${what} has ${length} characters; at most ${MAX_ANSWER} are accepted. Shorten it.`;

/** Why an answer was not accepted; null if it was, and for a refusal, which is on record. */
async function answerProblem(
  ctx: OperationContext,
  runId: string,
  answer: GivenAnswer,
): Promise<string | null> {
  try {
    const { error_code: code, cause_code, message } = await answerRun(ctx, runId, answer);
    return code == null || [code, cause_code].includes('USER_DECLINED') ? null : (message ?? code);
  } catch (error) {
    if (error instanceof KairosError && error.code === 'INVALID_INPUT') return error.message;
    throw error;
  }
}

/** Why a note was not recorded; null if it was. */
async function noteProblem(ctx: OperationContext, runId: string, text: string): Promise<string | null> {
  if (text.trim() === '') return 'The note is empty.';
  return (await noteOpen(ctx, runId, text.trim())) ? null : 'The run is sealed.';
}

async function problemOf(error: Error, c: Context, pages: ReturnType<typeof makePages>): Promise<Response> {
  if (!(error instanceof KairosError))
    return c.html(await pages.problem('Something went wrong in kairos.'), 500);
  const status = ['RUN_NOT_FOUND', 'NOT_FOUND'].includes(error.code) ? 404 : 409;
  return c.html(await pages.problem(`${error.message}. ${error.hint ?? ''}`), status);
}

/** Changes whenever a run begins or continues. */
async function stateOf({ store, caller }: OperationContext): Promise<string> {
  const runs = await store.findRuns({ spaces: [caller.space], limit: 100 });
  return runs.map(({ head }) => head).join();
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [sha256Hex(given), sha256Hex(expected)].map((text) => Buffer.from(text));
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
