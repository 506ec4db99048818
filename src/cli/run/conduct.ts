import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { KairosError } from '../../base/errors.ts';
import { verifyEntries } from '../../ledger/verify.ts';
import type { Revision } from '../../ports/store.ts';
import { loadTools } from '../../proof/tools.ts';
import type { ProofTools } from '../../proof/verdict.ts';
import type { OperationContext } from '../../run/context.ts';
import { beginRun, resumeRun } from '../../run/service/begin.ts';
import { record } from '../../run/service/next.ts';
import { loadRun } from '../../run/service/transact.ts';
import { countAssurance } from '../../run/state.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import type { Call } from '../command.ts';
import type { Host } from '../context.ts';
import type { WalkOptions } from '../definitions/run.ts';
import { EXIT } from '../io.ts';
import { readAnswersFile } from '../ui/answers-file.ts';
import { choosePrompter } from '../ui/choose-prompter.ts';
import { type Interrupts, watchSignals } from '../ui/interrupt.ts';
import { matchAnswers } from '../ui/match-answers.ts';
import type { Prompter } from '../ui/prompter.ts';
import { describeQuestion, type QuestionData } from '../ui/question.ts';
import type { ChosenRevision } from './choose-revision.ts';
import { expectedQuestions } from './questions.ts';
import type { Reporter } from './report.ts';
import { humanReporter } from './report-human.ts';
import { jsonReporter } from './report-json.ts';
import { confirmChanged } from './resume-changed.ts';
import { resumeCommand } from './resume-command.ts';
import { RUN_EXIT, type RunSession, type Stop } from './session.ts';
import { requireTrust, runsAnything, TRUST_QUESTION, type TrustGiven } from './trust-gate.ts';
import { walkRun } from './walk.ts';

/** What is to be walked: a new run, or one that is open. `document`: what stands now where the run came from. */
export type Errand =
  | ({ kind: 'begin' } & ChosenRevision)
  | { kind: 'resume'; runId: string; document: Revision | null };

type WalkCall = Call<unknown[], WalkOptions>;

/** From what is to be walked to the exit code: trust, answers, the walk, and what is said at its end. */
export async function conductRun(
  ctx: OperationContext,
  host: Host,
  call: WalkCall,
  errand: Errand,
): Promise<number> {
  const interrupts = watchSignals();
  const tools = await loadTools({ patterns: true, schemas: false });
  const subject = await subjectOf(ctx, errand);
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
    const fields = await start(ctx, errand, trust);
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

interface Subject extends ChosenRevision {
  /** Index of the station that the walk starts from. */
  from: number;
}

async function subjectOf(ctx: OperationContext, errand: Errand): Promise<Subject> {
  if (errand.kind === 'begin') return { ...errand, from: 0 };
  const run = await loadRun(ctx, errand.runId);
  if (run === null) throw new KairosError('RUN_NOT_FOUND', `there is no run ${errand.runId}`);
  return { revision: run.revision, kept: true, origin: `run ${errand.runId}`, from: run.state.at };
}

async function openPrompter(
  { io, options, output }: WalkCall,
  interrupts: Interrupts,
  { revision, from }: Subject,
  tools: ProofTools,
): Promise<Prompter> {
  const answers =
    options.answers === undefined
      ? undefined
      : matchAnswers(
          await readAnswersFile(resolve(io.cwd, options.answers)),
          expectedQuestions(revision.content, tools, from),
        );
  return choosePrompter({
    stdin: io.stdin as ReadStream,
    stdout: io.stdout as WriteStream,
    stderr: io.stderr as WriteStream,
    env: io.env,
    interrupts,
    flags: {
      json: output.json,
      color: options.color,
      noInput: options.input === false,
      // Whoever writes the answers down beforehand has said yes to the walk; trust and dangers stay by hand.
      yes: options.yes === true || answers !== undefined,
      ...(answers === undefined ? {} : { answers }),
    },
  });
}

/** With nobody to ask, everything that would be asked is told before anything is begun. */
async function unanswerable(
  ctx: OperationContext,
  call: WalkCall,
  subject: Subject,
  tools: ProofTools,
): Promise<number | null> {
  const { revision, from } = subject;
  const questions = expectedQuestions(revision.content, tools, from)
    .filter(
      ({ required, question }) => required || (question.kind === 'confirm' && call.options.yes !== true),
    )
    .map(({ question }) => describeQuestion(question));
  const trusted =
    !runsAnything(revision) ||
    call.options.trust?.includes(revision.digest) === true ||
    (await ctx.trust.get(revision.digest)) !== null;
  if (!trusted) {
    questions.unshift(
      describeQuestion({
        kind: 'confirm',
        ...TRUST_QUESTION,
        message: `${TRUST_QUESTION.message} After reading it: --trust ${revision.digest}`,
      }),
    );
  }
  if (questions.length === 0) return null;
  tellQuestions(call, questions, null);
  return RUN_EXIT.inputNeeded;
}

function tellQuestions(
  { output }: WalkCall,
  questions: readonly QuestionData[],
  resume: string | null,
): void {
  output.object({
    ...(output.json ? { event: 'questions' } : {}),
    questions,
    ...(resume === null ? {} : { resume }),
  });
  if (!output.json) {
    output.note(
      'Answers are needed and nobody was there to give them; the questions are on standard output.',
    );
    output.note('Give them in a terminal, by a pipe, or with --answers FILE.');
  }
}

async function start(ctx: OperationContext, errand: Errand, trust: TrustGiven): Promise<WalkFields> {
  if (errand.kind === 'begin' && !errand.kept) {
    await ctx.store.putRevision({ ...errand.revision, listed: false }, null);
  }
  const fields =
    errand.kind === 'begin' ? await beginRun(ctx, errand.revision) : await resumeRun(ctx, errand.runId);
  if (trust !== null) {
    const digest = (await loadRun(ctx, fields.run_id!))!.revision.digest;
    await record(ctx, fields.run_id!, 'trust.given', { digest, how: trust.how, by: ctx.caller.actor });
  }
  return fields;
}

async function openSession(
  ctx: OperationContext,
  host: Host,
  { io, options, output }: WalkCall,
  parts: Pick<RunSession, 'interrupts' | 'prompter' | 'tools' | 'runId'> & { subject: Subject },
): Promise<RunSession> {
  const { subject, ...rest } = parts;
  const plain = io.env.TERM === 'dumb' || Boolean(io.env.ACCESSIBLE);
  return {
    ...rest,
    ctx,
    io,
    content: subject.revision.content,
    reporter: output.json ? jsonReporter(output) : humanReporter(output, io, plain),
    redactor: host.redactor(),
    root: await realpath(resolve(io.cwd, options.workdir ?? '.')).catch((cause) => {
      throw new KairosError('FILE_UNREADABLE', `the working directory ${options.workdir} cannot be read`, {
        cause,
      });
    }),
    trusted: options.trust ?? [],
    contain: options.contain === true,
    hasTerminal: io.stdin.isTTY === true && io.stdout.isTTY === true,
    yes: options.yes === true || options.answers !== undefined,
  };
}

async function lead(
  session: RunSession,
  call: WalkCall,
  fields: WalkFields,
  resumed: boolean,
): Promise<number> {
  const { reporter, content, runId, ctx } = session;
  const { state } = (await loadRun(ctx, runId))!;
  reporter.begun({
    runId,
    title: content.title,
    slug: content.slug,
    digest: state.digest,
    steps: content.steps.length,
    resumed,
  });
  const end = await walkRun(session, fields);
  if (end.kind === 'stop') return endOpen(session, call, end);
  return endSealed(session, reporter, end.fields);
}

/** Before there is a run, nothing can be resumed. */
function endBefore(call: WalkCall, end: Stop, prompter: Prompter): number {
  if (end.code === RUN_EXIT.inputNeeded) tellQuestions(call, prompter.unanswered, null);
  call.output.note(end.reason);
  return end.code;
}

function endOpen(session: RunSession, call: WalkCall, end: Stop): number {
  const { reporter, runId, prompter } = session;
  const resume = resumeCommand(runId, call.options);
  if (end.code === RUN_EXIT.inputNeeded) tellQuestions(call, prompter.unanswered, resume);
  reporter.stopped({ code: end.code, reason: end.reason, runId, resume });
  return end.code;
}

/** The ledger is verified as soon as it is sealed: a run that cannot be proven is no success. */
async function endSealed(session: RunSession, reporter: Reporter, fields: WalkFields): Promise<number> {
  const { ctx, runId } = session;
  const { state, entries } = (await loadRun(ctx, runId))!;
  const seal = await ctx.store.readSeal(runId);
  const { status } = verifyEntries(entries, seal, { runId, expectSealed: true });
  const outcome = state.sealed?.outcome ?? 'failure';
  await reporter.sealed({
    runId,
    outcome,
    message: fields.message ?? '',
    head: state.sealed?.head ?? '',
    entries: entries.length,
    assurance: countAssurance(state),
    verified: status,
  });
  return outcome === 'success' && status === 'whole' ? EXIT.ok : EXIT.failed;
}
