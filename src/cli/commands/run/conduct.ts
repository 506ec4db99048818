import type { OperationContext } from '../../../operations/context.ts';
import { beginRun, remarks, resumeRun } from '../../../operations/run/begin.ts';
import { record } from '../../../operations/run/next.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { loadTools } from '../../../proof/tools.ts';
import type { InputDefinition } from '../../../protocol/schema.ts';
import { inputsOf } from '../../../run/inputs.ts';
import type { WalkFields } from '../../../run/walk-fields.ts';
import type { Host } from '../../context.ts';
import { watchSignals } from '../../terminal/interrupt.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { endBefore, endInError, endOpen, endSealed, unanswerable } from './ends.ts';
import { askInputs, givenInputs } from './inputs.ts';
import { openPrompter, openSession } from './open-session.ts';
import { confirmChanged } from './resume-changed.ts';
import type { RunSession } from './session.ts';
import { inPlace } from './settle-place.ts';
import { type Errand, type Subject, subjectOf, type WalkCall } from './subject.ts';
import { requireTrust, type TrustGiven } from './trust-gate.ts';
import { walkRun } from './walk.ts';

/** From what is to be walked to the exit code: trust, answers, the walk, and what is said at its end. */
export async function conductRun(
  base: OperationContext,
  host: Host,
  call: WalkCall,
  errand: Errand,
): Promise<number> {
  const interrupts = watchSignals(call.io.signals);
  const subject = await subjectOf(base, call, errand);
  const ctx = inPlace(base, subject.settled);
  const asksModel = subject.revision.content.steps.some(({ block }) => block?.sampling !== undefined);
  const tools = await loadTools({ patterns: true, schemas: asksModel });
  let prompter: Prompter | null = null;
  try {
    prompter = await openPrompter(call, interrupts, subject, tools);
    const early = prompter.backEnd === 'none' ? await unanswerable(ctx, call, subject, tools) : null;
    if (early !== null) return early;

    const trust = await requireTrust(ctx, call, prompter, subject);
    if (trust !== null && 'kind' in trust) return endBefore(call, trust, prompter);
    if (errand.kind === 'resume') {
      const refusal = await confirmChanged(call, prompter, subject.revision, errand.document);
      if (refusal !== null) return endBefore(call, refusal, prompter);
    }
    const declared = inputsOf(subject.revision.content);
    const wanted = errand.kind === 'begin' ? declared : secretsOf(declared);
    const asked = await askInputs(prompter, wanted, await givenInputs(wanted, call.options, call.io), tools);
    if (asked.kind === 'stop') return endBefore(call, asked, prompter);
    if (errand.kind === 'resume') ctx.runSecrets?.learn(errand.runId, asked.inputs as Record<string, string>);
    const fields = await start(ctx, errand, subject, trust, asked.inputs);
    const session = await openSession(ctx, host, call, {
      interrupts,
      prompter,
      tools,
      subject,
      runId: fields.run_id!,
    });
    return await lead(session, call, fields, errand.kind === 'resume');
  } finally {
    prompter?.close();
    interrupts.dispose();
  }
}

/** A run records everything about its inputs but the values of secrets. */
function secretsOf(declared: Readonly<Record<string, InputDefinition>>): Record<string, InputDefinition> {
  return Object.fromEntries(Object.entries(declared).filter(([, { secret }]) => secret === true));
}

async function start(
  ctx: OperationContext,
  errand: Errand,
  { settled: { moveTo } }: Subject,
  trust: TrustGiven,
  inputs: Record<string, unknown>,
): Promise<WalkFields> {
  if (errand.kind === 'begin' && !errand.kept) {
    await ctx.store.putRevision({ ...errand.revision, listed: false }, null);
  }
  const fields =
    errand.kind === 'begin'
      ? await beginRun(ctx, errand.revision, { inputs })
      : await resumeRun(ctx, errand.runId, moveTo);
  if (trust !== null) {
    const digest = (await loadRun(ctx, fields.run_id!))!.revision.digest;
    await record(ctx, fields.run_id!, 'trust.given', { digest, how: trust.how, by: ctx.caller.actor });
  }
  return fields;
}

async function lead(
  session: RunSession,
  call: WalkCall,
  fields: WalkFields,
  resumed: boolean,
): Promise<number> {
  const { reporter, content, runId, ctx } = session;
  const { state, revision } = (await loadRun(ctx, runId))!;
  reporter.begun({
    runId,
    title: content.title,
    slug: content.slug,
    digest: state.digest,
    steps: content.steps.length,
    resumed,
  });
  // Whoever got here trusts the content; what else there is to know before the first step is told to people too.
  for (const remark of await remarks(ctx, revision, true)) reporter.note(remark);
  try {
    const end = await walkRun(session, fields);
    return end.kind === 'stop' ? endOpen(session, call, end) : await endSealed(session, end.fields);
  } catch (error) {
    endInError(session, error);
    throw error;
  }
}
