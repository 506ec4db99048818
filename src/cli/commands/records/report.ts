import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readLedgerLines } from '../../../host/files/read-source.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { loadPageAssets, openInBrowser } from '../../../host/page.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { reportOfLines, reportOfRun } from '../../../operations/report.ts';
import { isRunReference, storedRun } from '../../../operations/stored-run.ts';
import { reportPage } from '../../../report/html.ts';
import { reportJunit } from '../../../report/junit.ts';
import { reportMarkdown } from '../../../report/markdown.ts';
import type { RunReport } from '../../../report/model.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';

/** `kairos report`. With `--json`, as with `--format json`: the report, or several, as data. */
export const reportCommand: Handler<[string[]], ReportOptions> = (call) =>
  withContext(call, { dryRun: true }, async (ctx) => {
    const { args, options, io, output } = call;
    const reports: RunReport[] = [];
    for (const record of args[0]) reports.push(await readReport(call, ctx, record));
    const format = options.format ?? (output.json ? 'json' : 'html');
    const text = await WRITERS[format](reports);
    if (options.out === undefined && options.open !== true) {
      output.document(text, { json: format === 'json' });
      return EXIT.ok;
    }
    const path =
      options.out === undefined
        ? join(await mkdtemp(join(tmpdir(), 'kairos-report-')), `report.${ENDINGS[format]}`)
        : resolve(io.cwd, options.out);
    await writeFileAtomically(path, text, options.force === true, 0o600);
    if (output.json) output.object({ file: path, runs: reports.map(({ runId }) => runId) });
    else output.print(`Report written to ${escapeForTerminal(path)}`);
    if (options.open === true && !(await openInBrowser(path))) {
      output.note('No program opens pages here. Open the file in a browser yourself.');
    }
    return EXIT.ok;
  });

async function readReport(call: Call<[string[]]>, ctx: OperationContext, record: string): Promise<RunReport> {
  if (isRunReference(record)) return reportOfRun(ctx, await storedRun(ctx, record));
  return reportOfLines(ctx, await readLedgerLines(record, call.io));
}

const ENDINGS = { html: 'html', md: 'md', json: 'json', junit: 'xml' };

const WRITERS: Record<
  NonNullable<ReportOptions['format']>,
  (reports: readonly RunReport[]) => string | Promise<string>
> = {
  html: async (reports) => reportPage(reports, await loadPageAssets()),
  md: reportMarkdown,
  json: (reports) => `${JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2)}\n`,
  junit: reportJunit,
};

export type ReportFormat = 'html' | 'md' | 'json' | 'junit';

export interface ReportOptions {
  format?: ReportFormat;
  out?: string;
  force?: boolean;
  open?: boolean;
}
