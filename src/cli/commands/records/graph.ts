import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { reportOfRun } from '../../../operations/report.ts';
import { isRunReference, storedRun } from '../../../operations/stored-run.ts';
import { readChains, readTarget, revisionOf } from '../../../operations/target.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import { graphMermaid, graphSvg } from '../../../report/graph.ts';
import type { StepState } from '../../../report/steps.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';

/** `kairos graph`. With `--json`: `{graphs[]}`, one text for each protocol of a file. */
export const graphCommand: Handler<[string], GraphOptions> = (call) =>
  withContext(call, { dryRun: true }, async (ctx) => {
    const draw = call.options.format === 'svg' ? graphSvg : graphMermaid;
    const graphs = (await drawn(call, ctx)).map(({ content, states }) => draw(content, states));
    if (call.output.json) call.output.object({ graphs });
    else call.output.document(graphs.join('\n'));
    return EXIT.ok;
  });

interface Drawn {
  content: ChainContent;
  states: StepState[] | null;
}

async function drawn(call: Call<[string]>, ctx: OperationContext): Promise<Drawn[]> {
  const [text] = call.args;
  const target = readTarget(text);
  if (
    target.kind === 'slug' &&
    (await ctx.store.headBySlug(ctx.caller.space, target.slug)) === null &&
    isRunReference(text)
  ) {
    return [await drawnRun(ctx, text)];
  }
  if (target.kind === 'file') {
    const { chains } = await readChains(target.path, ctx.caller.space, call.io);
    return chains.map(({ content }) => ({ content, states: null }));
  }
  return [{ content: (await revisionOf(ctx, target)).content, states: null }];
}

async function drawnRun(ctx: OperationContext, reference: string): Promise<Drawn> {
  const run = await storedRun(ctx, reference);
  const revision = await ctx.store.revisionByDigest(run.chainId, run.digest);
  if (revision === null)
    throw new KairosError('NOT_FOUND', `the store has lost the revision of run ${run.runId}`);
  const { steps } = await reportOfRun(ctx, run);
  return { content: revision.content, states: steps.map(({ state }) => state) };
}

export interface GraphOptions {
  format?: 'mermaid' | 'svg';
}
