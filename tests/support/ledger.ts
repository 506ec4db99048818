import type { LedgerEntry, Seal } from '../../src/ledger/entry.ts';
import { type CliHome, kairos } from './cli.ts';

/** A run's record as `kairos runs export` gives it; throws when it does not. */
export async function exportedLedger(
  home: CliHome,
  runId: string,
): Promise<{ lines: string[]; entries: LedgerEntry[]; seal: Seal | null }> {
  const { code, stdout, stderr } = await kairos(home, ['runs', 'export', runId], { prepares: true });
  if (code !== 0) throw new Error(`run ${runId} was not exported: ${stderr}`);
  const lines = stdout.trimEnd().split('\n');
  const objects = lines.map((line) => JSON.parse(line) as LedgerEntry | Seal);
  const last = objects.at(-1);
  return {
    lines,
    entries: objects.filter((object): object is LedgerEntry => 'kind' in object),
    seal: last !== undefined && 'seal' in last ? last : null,
  };
}
