import { isTrusted, needsTrust, type OperationContext } from '../../../operations/context.ts';
import { shownContent } from '../../../operations/run/inputs.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { verifySealed } from '../../../operations/verify.ts';
import type { ProofTools } from '../../../proof/verdict.ts';
import type { InputDefinition } from '../../../protocol/schema.ts';
import { countAssurance } from '../../../run/state.ts';
import type { RunFields } from '../../../run/walk-fields.ts';
import { MESSAGES } from '../../../run/wording.ts';
import { exitCodeOf } from '../../errors.ts';
import { EXIT } from '../../io.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { describeQuestion, type QuestionData } from '../../terminal/question.ts';
import { missingInputs } from './inputs.ts';
import { untrustedServers } from './mcp-step.ts';
import { doubtQuestion, expectedQuestions } from './questions.ts';
import { RUN_EXIT, type RunSession, type Stop } from './session.ts';
import type { RunCall, RunTarget } from './subject.ts';
import { noteOtherDigest, trustDemand } from './trust-gate.ts';

interface Unanswered {
  subject: RunTarget;
  /** The inputs that the run wants, and what is given for them. */
  wanted: Readonly<Record<string, InputDefinition>>;
  given: Readonly<Record<string, unknown>>;
  tools: ProofTools;
  /** Why no question can be asked. */
  cause: string;
}

/** Without a prompter: reports every question of the run before it begins. Returns the exit code, or null without questions. */
export async function unanswerable(
  ctx: OperationContext,
  call: RunCall,
  { subject, wanted, given, tools, cause }: Unanswered,
): Promise<number | null> {
  const { revision, from, isProposed, inDoubt, shown } = subject;
  const content = shown ?? (await shownContent(ctx, revision.content, given));
  const questions = expectedQuestions(content, tools, from, isProposed)
    .filter(({ past }) => !past)
    .filter(
      ({ required, question }) => required || (question.kind === 'confirm' && call.options.yes !== true),
    )
    .map(({ question }) => describeQuestion(question));
  if (inDoubt !== null) questions.unshift(describeQuestion(doubtQuestion(content, inDoubt)));
  const trusted =
    !needsTrust(revision) ||
    call.options.trust?.includes(revision.digest) === true ||
    (await isTrusted(ctx, revision));
  questions.unshift(...(await missingInputs(wanted, given, tools)).map(describeQuestion));
  const servers = await untrustedServers(ctx, call, subject);
  questions.unshift(...servers.map(({ question }) => describeQuestion({ kind: 'confirm', ...question })));
  if (!trusted) {
    questions.unshift(trustDemand(revision));
    noteOtherDigest(call, revision);
  }
  if (questions.length === 0) return null;
  reportQuestions(call, questions, null, { cause, interactive: false });
  return RUN_EXIT.inputNeeded;
}

/** Reports a stop before the run exists. Returns the exit code. */
export function endBefore(
  call: RunCall,
  { code, reason, questions }: Stop,
  { unanswered, cause, interactive }: Prompter,
): number {
  if (code === RUN_EXIT.inputNeeded)
    reportQuestions(call, questions ?? unanswered, null, {
      cause: unanswered.length === 0 ? '' : cause,
      interactive,
    });
  if (call.output.json)
    call.output.object({ event: 'stopped', exit_code: code, reason, run_id: null, resume: null });
  else call.output.note(reason);
  return code;
}

/** The run stays open. Prints the command that resumes it, and after an abort the one that closes it. */
export function endOpen(
  { ctx, reporter, runId, prompter }: RunSession,
  call: RunCall,
  { code, reason, questions }: Stop,
): number {
  const resume = ctx.commandLine(['resume', runId]);
  if (code === RUN_EXIT.inputNeeded)
    reportQuestions(call, questions ?? prompter.unanswered, resume, prompter);
  const close =
    code === RUN_EXIT.aborted ? ctx.commandLine(['runs', 'close', runId, '--reason', 'TEXT']) : null;
  reporter.stopped({ code, reason, runId, resume, close });
  return code;
}

/** Reports that the run can be resumed after an error. The caller reports the error itself. */
export function endInError({ ctx, reporter, runId }: RunSession, error: unknown): void {
  reporter.stopped({
    code: exitCodeOf(error),
    reason: 'An error stopped the run; what was proven is kept.',
    runId,
    resume: ctx.commandLine(['resume', runId]),
    close: null,
  });
}

/** Verifies the sealed ledger and reports the result. Returns 0 only for a success whose ledger is intact. */
export async function endSealed(
  { ctx, runId, reporter, prompter }: RunSession,
  fields: RunFields,
): Promise<number> {
  const surplus = prompter.surplus();
  if (surplus > 0) {
    reporter.note(`Unused piped answers: ${surplus}. Check that each answer went to its question.`);
  }
  const { state } = (await loadRun(ctx, runId))!;
  const { entries, status } = await verifySealed(ctx, runId);
  const outcome = state.sealed?.outcome ?? 'failure';
  await reporter.sealed({
    runId,
    outcome,
    // Another session can have sealed it, and the newest answer of this one is about an earlier step.
    message: fields.next_action === null ? (fields.message ?? '') : MESSAGES.sealed(outcome),
    head: state.sealed?.head ?? '',
    entries,
    assurance: countAssurance(state),
    verified: status,
    verify: ctx.commandLine(['verify', runId]),
  });
  return outcome === 'success' && status === 'whole' ? EXIT.ok : EXIT.failed;
}

const BY_OTHERS = 'Other people give the approvals; no option of this command replaces them.';

/**
 * Prints the open questions as data, with the command that resumes the run and the ways to answer. At a terminal only those that its
 * input left open: the reason of the stop has the rest in words.
 */
export function reportQuestions(
  { output }: Pick<RunCall, 'output'>,
  questions: readonly QuestionData[],
  resume: string | null,
  {
    cause,
    interactive,
    how = howToAnswer(questions),
  }: Pick<Prompter, 'cause' | 'interactive'> & { how?: string },
): void {
  const isForOthers = questions.length > 0 && questions.every(({ id }) => id.endsWith('.approval'));
  if (interactive && !output.json && (isForOthers || questions.length === 0)) return;
  output.object({
    ...(output.json ? { event: 'questions' } : {}),
    questions,
    ...(resume === null ? {} : { resume }),
  });
  if (!output.json) {
    if (cause !== '' && !isForOthers) output.note(cause);
    output.note(`The questions are on standard output. ${isForOthers ? BY_OTHERS : how}`.trimEnd());
  }
}

/** Empty for trust alone: the reason of the stop has the only way. */
function howToAnswer(questions: readonly QuestionData[]): string {
  if (questions.every(({ id }) => id === 'trust' || id.startsWith('trust-server-'))) return '';
  const hasInputs = questions.some(({ id }) => id.startsWith('input.'));
  const ways = ['Answer at a terminal, by a pipe, or with --answers FILE.'];
  return [...ways, ...(hasInputs ? ['Give inputs with --input NAME=VALUE.'] : [])].join(' ');
}
