import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { runStatement, signAttestation, sigstoreBundle } from '../../../ledger/attestation.ts';
import { verifyEntries } from '../../../ledger/verify.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos attestation`: nothing is signed of a run that is open or whose record is damaged. */
export const attestationCommand: Handler<[string], AttestationOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, io, output } = call;
    const { runId } = await storedRun(ctx, args[0]);
    const entries = await ctx.store.readEntries(runId);
    const seal = await ctx.store.readSeal(runId);
    if (seal === null) {
      throw new KairosError('INVALID_INPUT', `run ${runId} is open, and only a sealed run can be attested`, {
        hint: `Finish it, or close it with: ${ctx.commandLine(['runs', 'close', runId, '--reason', 'TEXT'])}`,
      });
    }
    if (verifyEntries(entries, seal, { runId, expectSealed: true }).status !== 'whole') {
      throw new KairosError('STORE_DAMAGED', `the record of run ${runId} is damaged`, {
        hint: `See what was changed with: ${ctx.commandLine(['verify', runId])}`,
      });
    }
    const statement = runStatement(entries, seal);
    const { format = 'dsse' } = options;
    const envelope = format === 'statement' ? null : signAttestation(statement, await ctx.sealingKey());
    const value = envelope === null ? statement : format === 'bundle' ? sigstoreBundle(envelope) : envelope;
    const text = `${JSON.stringify(value)}\n`;
    if (options.out === undefined) output.document(text, { json: true });
    else {
      await writeFileAtomically(resolve(io.cwd, options.out), text, options.force === true);
      if (output.json) output.object({ run_id: runId, file: options.out, format });
      else output.print(`Attestation written to ${escapeForTerminal(options.out)}`);
    }
    return EXIT.ok;
  });

export interface AttestationOptions {
  format?: 'dsse' | 'bundle' | 'statement';
  out?: string;
  force?: boolean;
}
