import { KairosError } from '../base/errors.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import { entryOf, readLine } from '../ledger/line.ts';
import { type RunReport, reportRun } from '../report/model.ts';
import { orDamaged } from '../store/intact.ts';
import type { RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';

/** The report of a run of the store. */
export async function reportOfRun(ctx: OperationContext, { runId }: RunRow): Promise<RunReport> {
  return reportOfLines(ctx, await ctx.store.readLines(runId));
}

/** The report of an exported record; the text of its steps comes from the store, where that has it. Throws LEDGER_UNREADABLE. */
export async function reportOfLines(ctx: OperationContext, lines: readonly string[]): Promise<RunReport> {
  const entries = entriesOf(lines);
  const begun = entries[0]?.data;
  if (begun === undefined) {
    throw new KairosError('INVALID_INPUT', 'the record holds no entry that can be read', {
      hint: 'Give the id of a run, or a file of: kairos runs export RUN --out FILE',
    });
  }
  const revision = await orDamaged(ctx.store.revisionByDigest(String(begun.chain_id), String(begun.digest)));
  const content = revision === null || revision === 'damaged' ? null : revision.content;
  return reportRun({ lines, entries, content });
}

/** The entries of a record that are well formed, whatever is wrong with the others. */
export function entriesOf(lines: readonly string[]): LedgerEntry[] {
  return lines
    .map((line, at) => readLine(line, at + 1))
    .filter(({ kind, fault }) => kind === 'entry' && fault?.code !== 'malformed')
    .map(entryOf);
}
