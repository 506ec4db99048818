import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { KairosError } from '../../../base/errors.ts';
import { loadPageAssets, openInBrowser } from '../../../host/page.ts';
import type { Handler } from '../../command.ts';
import { RUN_ASSURANCE, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { createViewApp } from './server.ts';

/** `kairos view`: serves the page until a signal ends it. With `--json`: `{url}`. */
export const viewCommand: Handler<[], ViewOptions> = (call) =>
  withContext(call, { reach: RUN_ASSURANCE }, async (ctx) => {
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
    if (options.open === true && !(await openInBrowser(url)) && !output.json) {
      output.note('No program opens pages here. Open the link in a browser yourself.');
    }
    await ended();
    close();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    return EXIT.ok;
  });

/** Resolves at the first signal that ends programs. */
async function ended(): Promise<void> {
  const done = new AbortController();
  const stop = () => done.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  // A timer, so that the process stays while nothing else happens.
  await new Promise<void>((resolve) =>
    done.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}

export interface ViewOptions {
  port?: number;
  open?: boolean;
}
