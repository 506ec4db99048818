import { formatDuration } from '../../../base/duration.ts';
import { reportOfRun } from '../../../operations/report.ts';
import { compareRuns } from '../../../report/compare.ts';
import type { Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { storedRun } from '../stored-run.ts';

/** `kairos runs diff`. With `--json`: `{a, b, differences[] {where, what, a, b}}`. */
export const runsDiffCommand: Handler<[string, string], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output } = call;
    const a = await reportOfRun(ctx, await storedRun(ctx, args[0]));
    const b = await reportOfRun(ctx, await storedRun(ctx, args[1]));
    const differences = compareRuns(a, b);
    if (output.json) {
      output.object({ a: a.runId, b: b.runId, differences });
      return EXIT.ok;
    }
    if (differences.length === 0) {
      output.print('The two runs do not differ in inputs, revision, context, steps, proofs or output.');
      return EXIT.ok;
    }
    const heads = ['WHERE', 'WHAT', a.runId.slice(0, 8), b.runId.slice(0, 8)].map((head) => ({ head }));
    const short = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
    const rows = differences.map((found) => [found.where, found.what, short(found.a), short(found.b)]);
    output.print(await table(heads, rows, { color: output.color }));
    output.print('');
    output.print(`Took ${formatDuration(tookOf(a))} and ${formatDuration(tookOf(b))}.`);
    return EXIT.ok;
  });

function tookOf({ stretches }: { stretches: readonly { from: number; to: number }[] }): number {
  return stretches.reduce((sum, { from, to }) => sum + to - from, 0);
}
