import { escapeForTerminal } from '../../../base/escape.ts';
import type { EntryData } from '../../../ledger/entry.ts';
import { loadAnswerTools, otherSecrets } from '../../../operations/answer.ts';
import { beginRun, remarks } from '../../../operations/begin.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { record } from '../../../operations/next.ts';
import { inPlace, rebaseRun, resumeRun } from '../../../operations/resume.ts';
import { hiddenNotes, learnAgain, lostSecrets, stillNeeded } from '../../../operations/run/inputs.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import type { ProofTools } from '../../../proof/verdict.ts';
import { renderChain } from '../../../protocol/render.ts';
import type { Assurance } from '../../../protocol/schema.ts';
import type { RunState } from '../../../run/state.ts';
import type { RunFields } from '../../../run/walk-fields.ts';
import { MESSAGES } from '../../../run/wording.ts';
import type { Revision, RunRow } from '../../../store/port.ts';
import type { Call } from '../../command.ts';
import type { Host } from '../../context.ts';
import { type Interrupts, watchSignals } from '../../terminal/interrupt.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { describeQuestion } from '../../terminal/question.ts';
import { diffLines, hunks } from '../../views/diff.ts';
import { endBefore, endInError, endOpen, endSealed, unanswerable } from './ends.ts';
import { askInputs, givenInputs } from './inputs.ts';
import { untrustedServers } from './mcp-step.ts';
import { openPrompter, openSession } from './open-session.ts';
import { RUN_EXIT, type RunSession, STOPS, type Stop, stop } from './session.ts';
import { type RunCall, type RunRequest, type RunTarget, runTargetOf } from './subject.ts';
import { requireTrust, type TrustGiven } from './trust-gate.ts';
import { runSteps } from './walk.ts';

/** Begins or resumes a run, asks for trust and inputs, and runs its steps. Returns the exit code. */
export async function conductRun(
  base: OperationContext,
  host: Host,
  call: RunCall,
  request: RunRequest,
): Promise<number> {
  const interrupts = watchSignals(call.io.signals);
  const subject = await runTargetOf(base, call, request);
  const ctx = inPlace(base, subject.settled);
  const tools = await loadAnswerTools(subject.revision.content);
  let prompter: Prompter | null = null;
  try {
    const answers = await openPrompter(call, interrupts, subject, tools);
    prompter = answers.prompter;
    const open = request.kind === 'begin' ? request.open : null;
    const choice =
      open === null || !canChoose(call, prompter) ? 'begin' : await chooseOpenRun(prompter, open);
    if (typeof choice !== 'string') return endBefore(call, choice, prompter);
    if (choice === 'begin')
      return await conduct({
        ctx,
        host,
        call,
        request,
        interrupts,
        subject,
        tools,
        prompter,
        inputs: answers.inputs,
      });
  } finally {
    prompter?.close();
    interrupts.dispose();
  }
  const { runId } = (request as RunRequest & { kind: 'begin' }).open!;
  return conductRun(base, host, call, { kind: 'resume', runId, document: null, onto: null });
}

/** What conducting a run needs. */
interface Conducted {
  ctx: OperationContext;
  host: Host;
  call: RunCall;
  request: RunRequest;
  interrupts: Interrupts;
  subject: RunTarget;
  tools: ProofTools;
  prompter: Prompter;
  /** Inputs of the answers file. */
  inputs: Record<string, unknown>;
}

async function conduct(parts: Conducted): Promise<number> {
  const { ctx, host, call, request, interrupts, subject, tools, prompter } = parts;
  const { lost, wanted, given, isOther } = await inputsOfRun(parts);
  const early =
    prompter.backEnd === 'none'
      ? await unanswerable(ctx, call, { subject, wanted, given, tools, cause: prompter.cause })
      : null;
  if (early !== null) return early;

  const trust = await requireTrust(ctx, call, prompter, subject);
  if (trust !== null && 'kind' in trust) return endBefore(call, trust, prompter);
  // Trust is given by hand, so a pipe or file can't answer this later: nothing is begun.
  const isByHand =
    prompter.backEnd === 'rich' || (prompter.backEnd === 'plain' && call.io.stdin.isTTY === true);
  const servers = isByHand ? [] : await untrustedServers(ctx, call, subject);
  const [server] = servers;
  if (server !== undefined) {
    const questions = servers.map(({ question }) => describeQuestion({ kind: 'confirm', ...question }));
    return endBefore(call, stop(RUN_EXIT.inputNeeded, server.reason, questions), prompter);
  }
  if (request.kind === 'resume') {
    const refusal = await confirmChanged(call, prompter, subject.revision, request.document);
    if (refusal !== null) return endBefore(call, refusal, prompter);
  }
  const form = { title: subject.revision.content.title, declared: wanted, isOther };
  const asked = await askInputs(prompter, form, given, tools);
  if (asked.kind === 'stop') return endBefore(call, asked, prompter);
  const [again, further] = [true, false].map((isLost) =>
    Object.fromEntries(Object.entries(asked.inputs).filter(([name]) => Object.hasOwn(lost, name) === isLost)),
  ) as [Record<string, string>, Record<string, unknown>];
  const bound = await boundAgain(parts, again);
  if (request.kind === 'begin' && request.open !== null && !canChoose(call, prompter))
    reportOpenRun(ctx, call, request.open);
  const fields = await start(ctx, request, bound, trust, further);
  const session = await openSession(ctx, host, call, {
    interrupts,
    prompter,
    tools,
    subject,
    runId: fields.run_id!,
  });
  const isRebased = request.kind === 'resume' && request.onto !== null;
  if (isRebased) session.reporter.note(MESSAGES.rebased(subject.revision.digest));
  return lead(session, call, fields, { resumed: request.kind === 'resume', ...subject.settled });
}

/** Compares the secrets that are given again with the record. Returns where the run moves, and the digests made there. */
async function boundAgain(
  { ctx, call, request, subject: { settled } }: Conducted,
  again: Record<string, string>,
): Promise<Bound> {
  if (request.kind === 'begin') return { moveTo: null, digests: {} };
  const { state } = (await loadRun(ctx, request.runId))!;
  const moves = settled.moveTo !== null || call.options.here === true;
  const digests = await learnAgain(ctx, state, again, moves);
  return { moveTo: Object.keys(digests).length === 0 ? settled.moveTo : settled.place, digests };
}
interface Bound {
  moveTo: RunTarget['settled']['moveTo'];
  digests: EntryData;
}

/** The inputs that the run wants: lost secrets of an open run, and those that its revision declares. And what is given for them. */
async function inputsOfRun({ ctx, call, request, subject, inputs }: Conducted) {
  const open = request.kind === 'begin' ? null : (await loadRun(ctx, request.runId))!;
  const lost = open === null ? {} : lostSecrets(ctx, open);
  const isOther = open === null ? () => false : await otherSecrets(ctx, open.state);
  const wanted = { ...lost, ...subject.declared };
  const written = Object.entries(inputs).filter(([name]) => Object.hasOwn(wanted, name));
  const flags = await givenInputs(wanted, call.options, call.io);
  const given = {
    ...Object.fromEntries(written),
    ...(open === null ? flags : stillNeeded(open, wanted, flags)),
  };
  return { lost, wanted, given, isOther };
}

const openRunText = ({ runId, begunAt }: RunRow) =>
  `Run ${runId} of the same content, begun at ${begunAt}, is open.`;
const canChoose = ({ options }: RunCall, prompter: Prompter) => prompter.interactive && options.yes !== true;

/** Names the open run when no person can choose between it and a new one. */
function reportOpenRun({ commandLine }: OperationContext, { output }: RunCall, open: RunRow): void {
  const resume = commandLine(['resume', open.runId]);
  if (output.json) output.object({ event: 'open_run', run_id: open.runId, begun_at: open.begunAt, resume });
  else output.note(`${openRunText(open)} This call begins a new run. To resume the open one: ${resume}`);
}

/** Asks a person at a terminal whether to resume an open run of the same content. */
async function chooseOpenRun(prompter: Prompter, open: RunRow): Promise<'begin' | 'resume' | Stop> {
  const answer = await prompter.choice({
    name: 'open-run',
    message: openRunText(open),
    options: [
      { value: 'resume', label: 'Resume it', key: 'r' },
      { value: 'begin', label: 'Begin a new run', key: 'n' },
    ],
    default: 'resume',
  });
  if (answer.kind === 'answer') return answer.value as 'begin' | 'resume';
  if (answer.kind === 'interrupt')
    return answer.exitCode === null ? STOPS.aborted() : STOPS.signal(answer.exitCode);
  return STOPS.inputNeeded();
}

async function start(
  ctx: OperationContext,
  request: RunRequest,
  { moveTo, digests }: Bound,
  trust: TrustGiven,
  inputs: Record<string, unknown>,
): Promise<RunFields> {
  if (request.kind === 'resume' && request.onto !== null)
    await rebaseRun(ctx, request.runId, request.onto.revision, inputs);
  const fields =
    request.kind === 'begin'
      ? await beginRun(ctx, request.revision, { inputs, unstored: !request.kept })
      : await resumeRun(ctx, request.runId, moveTo, digests);
  if (trust !== null) {
    const digest = (await loadRun(ctx, fields.run_id!))!.revision.digest;
    await record(ctx, fields.run_id!, 'trust.given', { digest, how: trust.how, by: ctx.caller.actor });
  }
  return fields;
}

async function lead(
  session: RunSession,
  call: RunCall,
  fields: RunFields,
  { resumed, moveTo }: { resumed: boolean } & Pick<RunTarget['settled'], 'moveTo'>,
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
    done: resumed ? passedIn(state) : [],
  });
  if (moveTo !== null) reporter.note(escapeForTerminal(MESSAGES.moved(moveTo)));
  if (resumed && ctx.adoptsPolicy && state.policy?.digest != null)
    reporter.note(escapeForTerminal(MESSAGES.judgedBy(state.policy.digest, state.policy.origin)));
  // The content is trusted at this point. Print the other remarks before the first step.
  const hidden = hiddenNotes(content, Object.keys(ctx.runSecrets?.of(runId) ?? {}));
  for (const remark of [...(await remarks(ctx, revision, true)), ...hidden]) reporter.note(remark);
  try {
    const end = await runSteps(session, fields);
    return end.kind === 'stop' ? endOpen(session, call, end) : await endSealed(session, end.fields);
  } catch (error) {
    endInError(session, error);
    throw error;
  }
}

/**
 * The passed steps of a run, each with the assurance of its last proof; null without the optional proof. The closing comment
 * belongs to no step.
 */
function passedIn({ proofs, content, stations, waived, at: pending }: RunState) {
  const last = new Map<number, Assurance | null>();
  for (const [at, { step }] of stations.entries())
    if (waived.has(at) && stations[pending]?.step !== step) last.set(step, null);
  for (const { step, assurance } of proofs) last.set(step, assurance);
  return content.steps.flatMap(({ label }, at) => {
    const assurance = last.get(at + 1);
    return assurance === undefined ? [] : [{ step: at + 1, label, assurance }];
  });
}

const CONTEXT = 2;

/** Shows how the document has changed since the run began, and asks whether to continue. Null: continue. */
async function confirmChanged(
  { output }: Call<unknown[]>,
  prompter: Prompter,
  pinned: Revision,
  document: Revision | null,
): Promise<Stop | null> {
  if (document === null || document.digest === pinned.digest) return null;
  const lines = hunks(diffLines(renderChain(pinned.content), renderChain(document.content)), CONTEXT).map(
    (line) => (line === null ? '  ...' : `${line.mark} ${escapeForTerminal(line.text)}`),
  );
  output.note(['The document has changed since this run began:', ...lines].join('\n'));
  const answer = await prompter.confirm({
    name: 'changed',
    message: 'Continue with the content that the run began with?',
    default: true,
  });
  if (answer.kind === 'answer') return answer.value ? null : STOPS.aborted();
  if (answer.kind === 'interrupt')
    return answer.exitCode === null ? STOPS.aborted() : STOPS.signal(answer.exitCode);
  return STOPS.inputNeeded();
}
