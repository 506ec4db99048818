import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { snakeKeys } from '../../../base/json.ts';
import { readLedgerLines } from '../../../host/files/read-source.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { ownKeyFingerprints } from '../../../host/keys/sealing-key.ts';
import { loadPageAssets, openInBrowser } from '../../../host/page.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { recordLines } from '../../../operations/prune.ts';
import {
  type AttestationFormat,
  attestationOf,
  recordOfLines,
  reportOfLines,
  reportOfRun,
} from '../../../operations/report.ts';
import { isRunReference } from '../../../operations/run/locate.ts';
import { readChains, readTarget, revisionOf } from '../../../operations/target.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import { graphMermaid, graphSvg, type StepResult } from '../../../report/graph.ts';
import { reportJunit, reportMarkdown } from '../../../report/markdown.ts';
import type { RunReport } from '../../../report/model.ts';
import { type Call, fileOf, type Handler, writeOut } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { namedRun } from '../../views/run.ts';

/** `kairos report`. With `--json` and neither another format nor a file: an object for each report, one a line. */
export const reportCommand: Handler<[string[]], ReportOptions> = (call) =>
  withContext(call, { dryRun: true }, async (ctx) => {
    const { args, options, io, output } = call;
    const reports: RunReport[] = [];
    for (const record of args[0]) reports.push(await readReport(call, ctx, record));
    const out = fileOf(options.out);
    if (output.json && options.format === undefined && out === undefined && options.open !== true) {
      for (const report of reports) output.object(reportObject(report));
      return EXIT.ok;
    }
    const format = options.format ?? (output.json && options.open !== true ? 'json' : 'html');
    const text = await WRITERS[format](reports);
    if (out === undefined && options.open !== true) {
      output.document(text, { json: format === 'json' });
      return EXIT.ok;
    }
    const path =
      out === undefined
        ? join(await mkdtemp(join(tmpdir(), 'kairos-report-')), `report.${ENDINGS[format]}`)
        : resolve(io.cwd, out);
    await writeFileAtomically(path, text, options.force === true, 0o600);
    if (output.json) output.object({ file: path, runs: reports.map(({ runId }) => runId) });
    else output.print(`Report written to ${escapeForTerminal(path)}`);
    const failure = options.open === true ? await openInBrowser(path, io.env) : null;
    if (failure !== null) output.note(`${failure} Open the file in a browser yourself.`);
    return EXIT.ok;
  });

/** A report as `--json` prints it. */
function reportObject(report: RunReport): unknown {
  const { context, inputs } = report;
  const named = ([name, value]: readonly [string, string]) => ({ name, value });
  return snakeKeys({ ...report, context: context.map(named), inputs: inputs.map(named) });
}

/** The report of a run, or of an exported file. */
export async function readReport(
  { io, output }: Pick<Call<unknown[]>, 'io' | 'output'>,
  ctx: OperationContext,
  record: string,
): Promise<RunReport> {
  if (isRunReference(record)) {
    return reportOfRun(ctx, await namedRun(ctx, output, record));
  }
  return reportOfLines(ctx, await readLedgerLines(record, io));
}

const ENDINGS = { html: 'html', md: 'md', json: 'json', junit: 'xml' };

const WRITERS: Record<
  NonNullable<ReportOptions['format']>,
  (reports: readonly RunReport[]) => string | Promise<string>
> = {
  html: async (reports) => {
    // It reads markdown, which the other forms don't need.
    const { reportPage } = await import('../../../report/html.ts');
    return reportPage(reports, await loadPageAssets());
  },
  md: reportMarkdown,
  json: (reports) => {
    const objects = reports.map(reportObject);
    return `${JSON.stringify(objects.length === 1 ? objects[0] : objects, null, 2)}\n`;
  },
  junit: reportJunit,
};

type ReportFormat = 'html' | 'md' | 'json' | 'junit';

export interface ReportOptions {
  format?: ReportFormat;
  out?: string;
  force?: boolean;
  open?: boolean;
}

/** `kairos graph`. With `--json`: `{graphs[]}`, one text for each protocol of a file; with `--out`, `{file, graphs}`, their number. */
export const graphCommand: Handler<[string], GraphOptions> = (call) =>
  withContext(call, { dryRun: true }, async (ctx) => {
    const { options, output } = call;
    const draw = options.format === 'svg' ? graphSvg : graphMermaid;
    const graphs = (await drawn(call, ctx)).map(({ content, results }) => draw(content, results));
    if (output.json && fileOf(options.out) === undefined) output.object({ graphs });
    else {
      const file = await writeOut(call, graphs.join('\n'));
      if (file !== null && output.json) output.object({ file, graphs: graphs.length });
      else if (file !== null) output.print(`Graph written to ${escapeForTerminal(file)}`);
    }
    return EXIT.ok;
  });

interface Drawn {
  content: ChainContent;
  results: readonly StepResult[] | null;
}

async function drawn(call: Call<[string]>, ctx: OperationContext): Promise<Drawn[]> {
  const [text] = call.args;
  if (RECORD.test(text)) return [await drawnRun(call, ctx, text)];
  const target = readTarget(text);
  if (target.kind === 'file') {
    const { chains } = await readChains(target.path, ctx.caller.space, call.io);
    return chains.map(({ content }) => ({ content, results: null }));
  }
  const revision = await revisionOf(ctx, target).catch((error: unknown) => {
    if (isRunReference(text) && error instanceof KairosError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  return revision === null
    ? [await drawnRun(call, ctx, text)]
    : [{ content: revision.content, results: null }];
}

/** The name of an exported file; other files are protocols. */
const RECORD = /\.jsonl$/i;

async function drawnRun(
  { io, output }: Pick<Call<[string]>, 'io' | 'output'>,
  ctx: OperationContext,
  reference: string,
): Promise<Drawn> {
  const run = RECORD.test(reference) ? null : await namedRun(ctx, output, reference);
  const lines = await (run === null ? readLedgerLines(reference, io) : recordLines(ctx, run));
  const { report, content } = await recordOfLines(ctx, lines);
  if (content === null)
    throw new KairosError(
      'NOT_FOUND',
      `neither the record of run ${report.runId} nor the store has the text of its protocol`,
      { hint: 'Draw the protocol itself from its file.' },
    );
  if (report.verification.status === 'broken') output.note(damagedNote(ctx, reference));
  return { content, results: report.steps };
}

/** The note for readers of a damaged record. */
export function damagedNote(ctx: OperationContext, record: string): string {
  return `note: this record is damaged: ${ctx.commandLine(['verify', record])}`;
}

export interface GraphOptions {
  format?: 'mermaid' | 'svg';
  out?: string;
  force?: boolean;
}

/** `kairos attestation`. With `--json` and `--out`: `{run_id, file, format}`. */
export const attestationCommand: Handler<[string], AttestationOptions> = (call) =>
  withContext(call, {}, async (ctx, host) => {
    const { args, options, io, output } = call;
    const { format = 'dsse' } = options;
    const [record] = args;
    const source = isRunReference(record)
      ? await namedRun(ctx, output, record)
      : { lines: await readLedgerLines(record, io), ownKeys: await ownKeyFingerprints(host, io.cwd) };
    const { runId, attestation } = await attestationOf(ctx, source, format);
    const text = `${JSON.stringify(attestation)}\n`;
    const file = await writeOut(call, text, { json: true });
    if (file !== null && output.json) output.object({ run_id: runId, file, format });
    else if (file !== null) output.print(`Attestation written to ${escapeForTerminal(file)}`);
    return EXIT.ok;
  });

export interface AttestationOptions {
  format?: AttestationFormat;
  out?: string;
  force?: boolean;
}
