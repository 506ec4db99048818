import { KairosError } from '../../../base/errors.ts';
import { storedRecords } from '../../../operations/moving/export.ts';
import { moveInto } from '../../../operations/moving/move.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { chosenSpace, withStoreToRead } from '../../store-to-read.ts';
import { moveCounter } from '../../terminal/progress.ts';
import { tellMove } from '../../views/move-report.ts';
import type { StoreImportOptions } from './options.ts';

/** `kairos store copy`. With `--json` the object of `kairos store import`. */
export const storeCopyCommand: Handler<[string, string], StoreImportOptions> = async (call) => {
  const { args, options, output } = call;
  const [from, to] = args;
  if (from === to)
    throw new KairosError('USAGE', 'a store cannot be copied into itself', {
      hint: 'Name two different stores.',
    });
  const dryRun = options.dryRun === true;
  const counter = moveCounter(call);
  try {
    const report = await withStoreToRead(call, from, async (source) => {
      // Opened before the target is created: a source that is down leaves nothing behind.
      await source.lastRun();
      return withContext({ ...call, options: { ...options, store: to } }, { dryRun }, ({ store }) =>
        moveInto(store, () => storedRecords(source, { space: chosenSpace(call) }), {
          onConflict: options.onConflict,
          dryRun,
          onProgress: (phase, count) => counter.tick(phase, count),
        }),
      );
    });
    counter.stop();
    tellMove(report, dryRun, output);
    return EXIT.ok;
  } finally {
    counter.stop();
  }
};
