import { resolve } from 'node:path';
import { escapeForTerminal } from '../../base/escape.ts';
import { toJsonl } from '../../ledger/export.ts';
import type { Handler } from '../command.ts';
import { withContext } from '../context.ts';
import type { RunsExportOptions } from '../definitions/runs.ts';
import { EXIT } from '../io.ts';
import { writeFileAtomically } from '../write-file.ts';
import { storedRun } from './stored-run.ts';

/** `kairos runs export`. With `--out` and `--json`: `{run_id, file, entries, sealed}`. */
export const runsExportCommand: Handler<[string], RunsExportOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, io, output } = call;
    const { runId } = await storedRun(ctx, args[0]);
    const entries = await ctx.store.readEntries(runId);
    const seal = await ctx.store.readSeal(runId);
    const text = toJsonl(entries, seal);
    if (options.out === undefined) output.document(text, { json: true });
    else {
      await writeFileAtomically(resolve(io.cwd, options.out), text, options.force === true);
      const sealed = seal !== null;
      if (output.json) output.object({ run_id: runId, file: options.out, entries: entries.length, sealed });
      else output.print(`${entries.length} entries written to ${escapeForTerminal(options.out)}`);
    }
    if (seal === null && !output.json) output.note('This run is not sealed: the record may still grow.');
    return EXIT.ok;
  });
