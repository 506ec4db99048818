import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { embeddingSettings } from '../../../host/settings/model-settings.ts';
import {
  dropVectors,
  type IndexProgress,
  type IndexResult,
  indexNow,
  keepIndexed,
} from '../../../operations/index-chains.ts';
import type { Embedder } from '../../../search/embedding/embedder.ts';
import type { Store } from '../../../store/port.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { canAnimate } from '../../terminal/progress.ts';

/** `kairos index`. With `--json`: `{model, done, total, indexed, failed[], in_use, dropped[]}`, with `--watch` one a pass. */
export const indexCommand: Handler<[], IndexCommandOptions> = (call) =>
  withContext(call, {}, async ({ store, embedders }, { settings }) => {
    const { options, io, output } = call;
    if (options.drop) return drop(store, output);
    const embedder = await embedders?.configured();
    if (embedder === undefined || embedder === null) {
      const { provider } = embeddingSettings(settings, io.env);
      throw new KairosError(
        'INVALID_INPUT',
        `no embedding provider is configured: embedding_provider is ${provider}`,
        {
          hint: `Choose one, for example ${programName()} config set embedding_provider openai-compatible. See docs/search.md for the list.`,
        },
      );
    }
    if (options.watch) return watch(call, store, embedder);
    const progress = indexProgress(call);
    try {
      const result = await indexNow(store, embedder, progress.show);
      progress.end();
      report(output, result);
      return result.failed.length === 0 ? EXIT.ok : EXIT.failed;
    } finally {
      progress.end();
    }
  });

async function drop(store: Store, output: Output): Promise<number> {
  const dropped = await dropVectors(store);
  if (output.json) output.object({ in_use: null, dropped });
  else output.print(dropped.length === 0 ? 'There were no vectors.' : `Deleted ${dropped.join(', ')}.`);
  return EXIT.ok;
}

/** Runs until SIGINT or SIGTERM, which end it with success. */
async function watch(call: Call<[], IndexCommandOptions>, store: Store, embedder: Embedder): Promise<number> {
  const { output, io } = call;
  const controller = new AbortController();
  const end = () => controller.abort();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) io.signals.on(name, end);
  // The pauses between checks don't keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  const progress = indexProgress(call);
  try {
    await keepIndexed(store, embedder, {
      signal: controller.signal,
      onProgress: progress.show,
      onIndexed: (result) => {
        progress.end();
        report(output, result);
      },
      onFailed: ({ message }) => output.note(`note: ${message}; trying again`),
      onReplaced: (model) => output.note(`note: another process has changed to ${model}`),
    });
    return EXIT.ok;
  } finally {
    progress.end();
    clearInterval(alive);
    for (const name of names) io.signals.removeListener(name, end);
  }
}

function report(output: Output, { inUse, ...result }: IndexResult): void {
  if (output.json) {
    output.object({ ...result, in_use: inUse });
    return;
  }
  output.print(`${result.done} of ${result.total} protocols indexed with ${inUse ?? result.model}.`);
  for (const { slug, reason } of result.failed) output.note(`not indexed: ${slug}: ${reason}`);
  if (result.dropped.length > 0) output.note(`deleted ${result.dropped.join(', ')}`);
}

export interface IndexCommandOptions {
  watch?: boolean;
  drop?: boolean;
}

/** Prints the progress of the index on standard error: one line that changes on a terminal, else a line for every tenth. */
function indexProgress({ io, output }: Pick<Call<unknown[]>, 'io' | 'output'>): {
  show: (progress: IndexProgress) => void;
  end: () => void;
} {
  const animate = canAnimate(io.stderr, io.env);
  let drawn = false;
  let tenth = 0;
  return {
    show({ done, total }) {
      if (output.json) return;
      const text = `embedding  ${done}/${total}`;
      if (animate) {
        io.stderr.write(`\r\x1b[K${text}`);
        drawn = true;
        return;
      }
      const now = Math.floor((10 * done) / Math.max(1, total));
      if (now > tenth) output.note(text);
      tenth = Math.max(tenth, now);
    },
    end() {
      if (drawn) io.stderr.write('\r\x1b[K');
      drawn = false;
    },
  };
}
