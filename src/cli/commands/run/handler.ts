import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { resolveCommand } from '../../../host/commands/shell-step.ts';
import { isTrusted, type OperationContext } from '../../../operations/context.ts';
import { handedOver } from '../../../operations/resume.ts';
import { readGiven, requireNoFaults, shownContent } from '../../../operations/run/inputs.ts';
import { storedRun } from '../../../operations/run/locate.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import { stationsOf } from '../../../run/state.ts';
import type { Revision, RunRow } from '../../../store/port.ts';
import type { Call, Handler } from '../../command.ts';
import { RUN_ASSURANCE, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { heading, keyValues } from '../../terminal/layout.ts';
import { renderMarkdown } from '../../terminal/markdown.ts';
import { demandRows, inputRows } from '../../views/demand.ts';
import { conductRun } from './conduct.ts';
import { givenInputs } from './inputs.ts';
import { chooseRevision, type ResumeOptions, type RunOptions, type SharedRunOptions } from './subject.ts';

/** `kairos run`. With `--json` one event a line. */
export const runHandler: Handler<[string], RunOptions> = (call) => {
  const { resume, dryRun: isDry, actor } = call.options;
  return withContext(
    call,
    { maximumAssurance: RUN_ASSURANCE, onRun: resume !== undefined, actor },
    async (ctx, host) => {
      const chosen = await beforeRun(chooseRevision(ctx, call, call.args[0]));
      if (isDry) return dryRun(ctx, call, chosen.revision);
      if (resume === undefined) {
        const open = await openRunLike(ctx, chosen.revision);
        return conductRun(ctx, host, call, { kind: 'begin', ...chosen, open });
      }
      const named = resume === true ? undefined : resume;
      const runId = await beforeRun(openRunOf(ctx, named, chosen.revision.chainId));
      return conductRun(ctx, host, call, { kind: 'resume', runId, document: chosen.revision, onto: null });
    },
  );
};

/** `kairos resume`: the named run, else the one that was handed over, else your newest open one. */
export const resumeCommand: Handler<[string | undefined], ResumeOptions> = (call) =>
  withContext(
    call,
    { maximumAssurance: RUN_ASSURANCE, onRun: true, actor: call.options.actor },
    async (ctx, host) => {
      const [named] = call.args;
      const handed = named === undefined ? await handedOver(ctx) : null;
      const runId = handed ?? (await beforeRun(openRunOf(ctx, named, undefined)));
      if (call.options.with !== undefined) {
        const { chainId } = await storedRun(ctx, runId);
        const onto = await beforeRun(chooseRevision(ctx, call, call.options.with, chainId));
        return conductRun(ctx, host, call, { kind: 'resume', runId, document: null, onto });
      }
      const document = await storedNow(ctx, runId);
      return conductRun(ctx, host, call, { kind: 'resume', runId, document, onto: null });
    },
  );

/** Exit 1 of a run means that a proof failed, so what goes wrong before there is a run is an error in the call. */
async function beforeRun<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof KairosError && error.code !== 'INTERNAL') error.isUsage = true;
    throw error;
  });
}

/** The caller's newest open run of the same content, or null. */
async function openRunLike(ctx: OperationContext, { chainId, digest }: Revision): Promise<RunRow | null> {
  const { actor, space } = ctx.caller;
  const open = await ctx.store.findRuns({ spaces: [space], actor, open: true, chainId, limit: 20 });
  for (const run of open) {
    // The row has the content that the run began with.
    if (run.digest === digest && (await loadRun(ctx, run))?.state.digest === digest) return run;
  }
  return null;
}

/**
 * The current content in the store, if the run began with stored content. The record doesn't name the file of
 * a run.
 */
async function storedNow(ctx: OperationContext, runId: string): Promise<Revision | null> {
  const run = await loadRun(ctx, runId);
  if (run === null || run.revision.number === 0) return null;
  return ctx.store.head(run.revision.chainId);
}

/** Returns the id of the run to resume: the named one, or the caller's newest open run (of a chain). Throws INVALID_INPUT or RUN_NOT_FOUND. */
async function openRunOf(
  ctx: OperationContext,
  named: string | undefined,
  chainId: string | undefined,
): Promise<string> {
  if (named !== undefined) {
    const run = await storedRun(ctx, named);
    if (chainId !== undefined && run.chainId !== chainId) {
      throw new KairosError(
        'INVALID_INPUT',
        `run ${run.runId} is a run of ${run.slug}, not of this protocol`,
        { hint: ctx.commandLine(['resume', run.runId]) },
      );
    }
    if (run.sealedAt === null) return run.runId;
    throw new KairosError(
      'INVALID_INPUT',
      `run ${run.runId} was sealed at ${run.sealedAt} as ${run.outcome}`,
      { hint: `Begin a new one: ${ctx.commandLine(['run', stepUri(run.chainId, 1)])}` },
    );
  }
  const { actor, space } = ctx.caller;
  const [newest] = await ctx.store.findRuns({
    spaces: [space],
    actor,
    open: true,
    limit: 1,
    ...(chainId === undefined ? {} : { chainId }),
  });
  if (newest !== undefined) return newest.runId;
  throw new KairosError('RUN_NOT_FOUND', 'you have no open run to resume', {
    hint: `List your runs with: ${ctx.commandLine(['runs'])}`,
  });
}

/** One step as a real run would meet it; commands are resolved, nothing runs. */
interface PlannedStep {
  index: number;
  label: string;
  content: string;
  demands: { type: string; required: boolean; command?: object; problem?: string }[];
}

/** `--dry-run`: every step, resolved command, timeout, directory and environment names. `--json`: one object. */
async function dryRun(
  ctx: OperationContext,
  call: Call<[string], SharedRunOptions>,
  revision: Revision,
): Promise<number> {
  const { output, io } = call;
  const root = resolve(io.cwd, call.options.workdir ?? '.');
  const trusted = await isTrusted(ctx, revision);
  const { content: template, digest } = revision;
  const given = await givenInputs(template.inputs ?? {}, call.options, io);
  const inputs = await plannedInputs(ctx, template, given);
  const content = await shownContent(ctx, template, given);
  const stations = stationsOf(content);
  const steps: PlannedStep[] = [];
  if (!output.json) {
    output.print(heading(content.title, { color: output.color }));
    output.print(
      await keyValues(
        [
          ['digest', digest],
          ['trusted', trusted ? 'yes' : 'no'],
        ],
        { color: output.color },
      ),
    );
    if (inputs.length > 0) {
      output.print(`\n${heading('Inputs', { color: output.color })}`);
      const shown = inputs.flatMap(({ name, text, value }): [string, string][] => [
        [name, text],
        ...(value === null ? [] : [['', `is ${value}`] as [string, string]]),
      ]);
      output.print(await keyValues(shown, { color: output.color }));
    }
  }
  for (const [at, step] of content.steps.entries()) {
    const planned: PlannedStep = { index: at + 1, label: step.label, content: step.body, demands: [] };
    steps.push(planned);
    if (!output.json) {
      output.print('');
      output.print(heading(step.label, { place: `${at + 1}/${content.steps.length}`, color: output.color }));
      if (step.body !== '')
        output.print(await renderMarkdown(step.body, { width: output.width, color: output.color }));
    }
    for (const station of stations) {
      if (station.step !== at + 1 || station.kind === 'none') continue;
      const { demand, block } = station;
      const resolved =
        demand.type === 'shell'
          ? await resolveCommand({ root, env: io.env }, demand.shell).catch((error: Error) => error)
          : null;
      planned.demands.push({
        type: station.kind === 'closing' ? 'closing' : demand.type,
        required: demand.required,
        ...(resolved === null
          ? {}
          : resolved instanceof Error
            ? { problem: resolved.message }
            : { command: { ...resolved.info, missing_environment: resolved.missing } }),
      });
      if (output.json) continue;
      const { proof_of_work: _, ...beside } = block;
      const rows = [...demandRows({ ...demand, ...beside })];
      if (resolved instanceof Error) rows.push(['problem', resolved.message]);
      else if (resolved !== null) {
        rows.push(['runs in', resolved.info.cwd]);
        if (resolved.missing.length > 0) rows.push(['not set', resolved.missing.join(', ')]);
        if (resolved.info.danger !== null) rows.push(['careful', resolved.info.danger]);
      }
      if (station.kind === 'closing') {
        rows.unshift(['at the end', 'the closing comment']);
        output.print('');
      }
      output.print(await keyValues(rows, { color: output.color, indent: 2 }));
    }
  }
  if (output.json)
    output.object({
      title: content.title,
      slug: content.slug,
      digest,
      trusted,
      inputs: Object.fromEntries(
        inputs.map(({ name, value, definition }) => [name, { ...definition, value }]),
      ),
      steps,
    });
  else output.print(`\n${escapeForTerminal('Nothing was run.')}`);
  return EXIT.ok;
}

/** The inputs of a protocol with the values that a real run would begin with. Throws INVALID_INPUT for one that does not fit. */
async function plannedInputs(
  { redact }: OperationContext,
  content: ChainContent,
  given: Readonly<Record<string, unknown>>,
) {
  const declared = content.inputs ?? {};
  const { values, faults } = await readGiven(declared, given);
  requireNoFaults(faults);
  return inputRows(content).map(([name, text]) => {
    const definition = declared[name]!;
    const known = values[name] ?? null;
    const value = known === null ? null : definition.secret === true ? '(secret)' : redact(known);
    return { name, text, definition, value };
  });
}
