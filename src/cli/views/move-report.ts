import type { MoveReport } from '../../operations/moving/move.ts';
import type { Output } from '../output.ts';

/**
 * Prints the result of a move: `Protocols: 3 stored, 1 unchanged`. With `--json`: `{dry_run, chains, runs}`.
 */
export function printMoveReport({ chains, runs }: MoveReport, dryRun: boolean, output: Output): void {
  if (output.json) {
    output.object({ dry_run: dryRun, chains, runs });
    return;
  }
  output.print(`Protocols: ${counts(chains)}\nRuns: ${counts(runs)}`);
  if (dryRun) output.note('Nothing was written: this was a dry run.');
}

function counts(outcomes: Record<string, number>): string {
  const told = Object.entries(outcomes).filter(([, count]) => count > 0);
  return told.length === 0 ? 'none' : told.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}
