import { resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { type AttestationFormat, attestationOf } from '../../../operations/attestation.ts';
import { storedRun } from '../../../operations/stored-run.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';

/** `kairos attestation`. With `--json` and `--out`: `{run_id, file, format}`. */
export const attestationCommand: Handler<[string], AttestationOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, io, output } = call;
    const { format = 'dsse' } = options;
    const { runId } = await storedRun(ctx, args[0]);
    const text = `${JSON.stringify(await attestationOf(ctx, runId, format))}\n`;
    if (options.out === undefined) output.document(text, { json: true });
    else {
      await writeFileAtomically(resolve(io.cwd, options.out), text, options.force === true);
      if (output.json) output.object({ run_id: runId, file: options.out, format });
      else output.print(`Attestation written to ${escapeForTerminal(options.out)}`);
    }
    return EXIT.ok;
  });

export interface AttestationOptions {
  format?: AttestationFormat;
  out?: string;
  force?: boolean;
}
