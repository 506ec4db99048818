import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { readerOf, servedPlace } from '../../../host/outputs/place.ts';
import { verifierSettings } from '../../../host/settings/model-settings.ts';
import type { Verify } from '../../../host/verifier/openai-compatible.ts';
import { createOpenAsks } from '../../../mcp/elicitation/open-asks.ts';
import { createTelemetry } from '../../../mcp/elicitation/plan.ts';
import {
  type ElicitationSettings,
  elicitationSettings,
  LATE_MS,
  userElicitation,
} from '../../../mcp/elicitation/settings.ts';
import { createLog, createMetrics, type Log, type Metrics } from '../../../mcp/server/metrics.ts';
import { type Activity, createActivity } from '../../../mcp/server/open-requests.ts';
import type { ServerServices } from '../../../mcp/server/services.ts';
import type { CommandRunner } from '../../../mcp/tools/tool.ts';
import type { OperationContext } from '../../../operations/context.ts';
import type { Call, Handler } from '../../command.ts';
import { type Host, openHandover, TYPED_ASSURANCE, withContext } from '../../context.ts';
import { type CliIo, EXIT } from '../../io.ts';
import { endingSignals } from '../../terminal/interrupt.ts';
import { checkServeOptions, httpOptions, type ServeOptions } from './options.ts';

/** A server runs for days, so its heap grows less between collections, at no cost (PERFORMANCE.md). */
const FLAGS = ['--heap-growing-percent=50'];
/** Milliseconds that calls may still run after a signal. */
const END_MS = 8_000;

/** `kairos serve`: runs until the client disconnects or a signal arrives; both are successful ends. */
export const serveCommand: Handler<[], ServeOptions> = async (call) => {
  const { options } = call;
  checkServeOptions(options);
  const maximumAssurance = {
    ...TYPED_ASSURANCE,
    ...(options.execute ? { shell: 'observed' as const, mcp: 'observed' as const } : {}),
  };
  call.io.setEngineFlags?.(FLAGS);
  return withContext(
    call,
    { requireTrust: options.requireTrust === true, maximumAssurance },
    async (ctx, host) => {
      // With an invalid policy no run can begin, so report it at start instead of to each agent.
      await ctx.policy?.();
      const services = await openServices(ctx, host, call);
      const { stop, dispose } = endingSignals(call.io.signals);
      const index = startBackgroundIndex(ctx, services.log);
      try {
        await serve(services, call, stop);
        // Sessions that no connection can end.
        services.runner?.end();
        // Finish writing before the store closes.
        await services.activity.idle(END_MS);
        return EXIT.ok;
      } finally {
        dispose();
        await index.end();
      }
    },
  );
};

async function serve(
  services: ServerServices,
  call: Call<[], ServeOptions>,
  stop: AbortSignal,
): Promise<void> {
  const { io, options, output } = call;
  if (options.http === undefined) {
    const { serveOverStdio } = await import('../../../mcp/server/stdio.ts');
    return serveOverStdio(services, { stdin: io.stdin, stdout: io.stdout, stop });
  }
  const { serveOverHttp } = await import('../../../mcp/http/serve.ts');
  return serveOverHttp(services, await httpOptions(services, call, options.http), {
    stop,
    onListening: (url) => (output.json ? output.object({ url }) : output.print(url)),
  });
}

async function openServices(
  base: OperationContext,
  host: Host,
  { io, options }: Call<[], ServeOptions>,
): Promise<ServerServices> {
  const log = createLog(io.stderr, options.logLevel ?? (options.http === undefined ? 'warn' : 'info'), {
    now: io.now,
    redact: (text) => host.redactor().redact(text),
  });
  const metrics = createMetrics();
  const settings = settingsOf(host, { io, options });
  const activity = createActivity();
  const runner = options.execute ? await openRunner(host, { io, options }, { log, metrics, activity }) : null;
  const place = await servedPlace(io, options, base.place?.host ?? '');
  // A server reads only in the folders that it was given.
  const { outputsAt: _, ...rest } = base;
  const handover = openHandover(io, host.folders, (reason) => log.warn('handover', { reason }));
  return {
    ctx: {
      ...rest,
      place:
        options.execute && place.workdir === null ? { ...place, workdir: await rootOf(io, options) } : place,
      outputs: readerOf(place),
      ...(handover === undefined ? {} : { handover }),
      ...(runner === null ? {} : { leaves: runner.leaves }),
      allowWeaken: options.allowWeaken === true,
      readOnly: options.readOnly === true,
      caller: { ...base.caller, session: null, interface: 'mcp' },
    },
    runner,
    elicitation: {
      settings,
      telemetry: createTelemetry({ log, metrics }),
      ...(await verifierOf(host, io.env)),
    },
    asks: createOpenAsks({
      now: io.now,
      lifetimeMs: settings.timeoutMs + LATE_MS,
      key: async () => {
        const { derivedKey } = await import('../../../host/keys/sealing-key.ts');
        return derivedKey(await base.sealingKey(), 'kairos.request-state.v1');
      },
    }),
    log,
    metrics,
    activity,
  };
}

/** The verifier that the user configured, if any. */
async function verifierOf(
  { settings: user, redactor }: Host,
  env: NodeJS.ProcessEnv,
): Promise<{ verify?: Verify }> {
  const settings = verifierSettings(user, env);
  if (settings === null) return {};
  const { openaiVerifier } = await import('../../../host/verifier/openai-compatible.ts');
  return { verify: openaiVerifier(settings, { redact: (text) => redactor().redact(text) }) };
}

function settingsOf(
  { settings: user }: Host,
  { io, options }: Pick<Call<[], ServeOptions>, 'io' | 'options'>,
): ElicitationSettings {
  const flags = {
    userInputDriver: options.userInputDriver,
    userInputServerDriver: options.userInputServerDriver,
    samplingDriver: options.samplingDriver,
    userInputTimeoutSeconds: options.userInputTimeout,
    allowAutoSampling: options.allowAutoSampling,
  };
  return elicitationSettings(flags, io.env, userElicitation(user));
}

/** Where `--execute` runs commands. */
function rootOf(
  { cwd }: Pick<CliIo, 'cwd'>,
  { workdir = '.' }: Pick<ServeOptions, 'workdir'>,
): Promise<string> {
  return realpath(resolve(cwd, workdir)).catch((cause) => {
    throw new KairosError('FILE_UNREADABLE', `the working directory ${workdir} cannot be read`, {
      hint: 'Check the path and its permissions.',
      cause,
    });
  });
}

async function openRunner(
  host: Host,
  { io, options }: Pick<Call<[], ServeOptions>, 'io' | 'options'>,
  shared: { log: Log; metrics: Metrics; activity: Activity },
): Promise<CommandRunner> {
  const root = await rootOf(io, options);
  const { createRunner } = await import('../../../mcp/server/execute.ts');
  return createRunner({
    root,
    env: io.env,
    redactor: host.redactor(),
    contain: options.contain === true,
    ...shared,
  });
}

/** Keeps the index while a server runs, when an embedding provider is configured. Its end waits for what is being written. */
export function startBackgroundIndex(
  { embedders, store }: Pick<OperationContext, 'embedders' | 'store'>,
  log: Log,
): { end: () => Promise<void> } {
  if (embedders === undefined) return { end: async () => {} };
  const controller = new AbortController();
  const work = async () => {
    const embedder = await embedders.configured();
    if (embedder === null) return;
    const { keepIndexed } = await import('../../../operations/index-chains.ts');
    await keepIndexed(store, embedder, {
      signal: controller.signal,
      onIndexed: ({ model, indexed, done, total, failed, dropped }) =>
        log.info('search.indexed', { model, indexed, done, total, failed: failed.length, dropped }),
      onFailed: ({ message }) => log.warn('search.index_failed', { message }),
      onReplaced: (model) => log.warn('search.index_left', { model }),
    });
  };
  const running = work().catch((error: Error) => log.warn('search.index_failed', { message: error.message }));
  return {
    end: async () => {
      controller.abort();
      await running;
    },
  };
}
