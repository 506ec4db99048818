import { resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { storedRun } from '../../../operations/stored-run.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';

/** `kairos runs export`. With `--out` and `--json`: `{run_id, file, entries, sealed}`. */
export const runsExportCommand: Handler<[string], RunsExportOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, io, output } = call;
    const { runId, sealedAt } = await storedRun(ctx, args[0]);
    const lines = await ctx.store.readLines(runId);
    const sealed = sealedAt !== null;
    const entries = lines.length - (sealed ? 1 : 0);
    const text = lines.map((line) => `${line}\n`).join('');
    if (options.out === undefined) output.document(text, { json: true });
    else {
      await writeFileAtomically(resolve(io.cwd, options.out), text, options.force === true);
      if (output.json) output.object({ run_id: runId, file: options.out, entries, sealed });
      else output.print(`${entries} entries written to ${escapeForTerminal(options.out)}`);
    }
    if (!sealed && !output.json) output.note('This run is not sealed: the record may still grow.');
    return EXIT.ok;
  });

export interface RunsExportOptions {
  out?: string;
  force?: boolean;
}
