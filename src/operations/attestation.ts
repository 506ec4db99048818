import { KairosError } from '../base/errors.ts';
import { runStatement, signAttestation, sigstoreBundle } from '../ledger/attestation.ts';
import { verifyEntries } from '../ledger/verify.ts';
import { pruned } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';

/** DSSE envelope, Sigstore bundle, or the unsigned in-toto statement. */
export type AttestationFormat = 'dsse' | 'bundle' | 'statement';

/** The attestation of a sealed run. Throws for a run that is open, or whose record is damaged: kairos signs neither. */
export async function attestationOf(
  ctx: OperationContext,
  { runId, tombstone }: RunRow,
  format: AttestationFormat,
): Promise<object> {
  if (tombstone !== undefined) throw pruned(runId, tombstone);
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
  if (format === 'statement') return runStatement(entries, seal);
  const key = await ctx.sealingKey();
  const envelope = await signAttestation(runStatement(entries, seal, key.publicKey), key);
  return format === 'bundle' ? sigstoreBundle(envelope) : envelope;
}
