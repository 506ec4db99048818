import { resolve } from 'node:path';
import { localInstant } from '../../../base/duration.ts';
import { KairosError } from '../../../base/errors.ts';
import type { ApprovalStatement } from '../../../gate/approval/statement.ts';
import { readSource } from '../../../host/files/read-source.ts';
import {
  type Approvable,
  approvable,
  approverByAccount,
  approverByKey,
  giveApproval,
  requireAnswerable,
  screenFor,
  screenNow,
  statementFor,
} from '../../../operations/approve.ts';
import {
  readSignedStatement,
  requireReason,
  type SignedStatement,
  signedWith,
} from '../../../operations/approve-elsewhere.ts';
import { callerIdentity, type OperationContext } from '../../../operations/context.ts';
import { type ApprovalScreen, screenRows } from '../../../run/present/approval-screen.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { withPrompter } from '../../terminal/choose-prompter.ts';
import { keyValues } from '../../terminal/layout.ts';
import { namedRun } from '../../views/run.ts';

type AnswerCall = Call<[string, string | undefined], AnswerOptions>;
type Answer = 'approve' | 'deny';

/** `kairos proposal approve` and `deny`. With `--json`: the recorded statement. */
export function decideProposalCommand(
  decision: Answer,
): Handler<[string, string | undefined], AnswerOptions> {
  return (call) =>
    withContext(call, { onRun: true }, async (ctx) => {
      const { args, options, output } = call;
      if ((options.statement === undefined) !== (options.signature === undefined))
        throw new KairosError('USAGE', '--statement and --signature go together', {
          hint: 'Give both, or the one file of the answer.',
        });
      const { runId } = await namedRun(ctx, output, args[0]);
      const elsewhere = await signedElsewhere(call, decision);
      const subject = await approvable(ctx, runId, args[1] ?? elsewhere?.hash);
      await requireAnswerable(ctx, subject, decision);
      const { text, signature } = elsewhere ?? (await signedHere(ctx, call, subject, decision));
      const statement = await giveApproval(ctx, subject, text, signature);
      const screen = await screenNow(ctx, runId, statement.proposal_hash);
      if (output.json) output.object({ ...statement, ...approvalState(screen) });
      else output.print(await keyValues(answerRows(ctx, statement, screen), output));
      return EXIT.ok;
    });
}

/** How many approvals there are now, and who could give those that are missing. */
function approvalState(screen: ApprovalScreen | null) {
  return screen === null
    ? {}
    : {
        approvals: { needed: screen.needed, given: screen.given },
        missing: screen.needed - screen.given,
        could_approve: screen.could_approve,
      };
}

function answerRows(
  { commandLine, clock }: OperationContext,
  { decision, approver, proposal_hash: hash, expires_at_ms: end, run_id: run, step }: ApprovalStatement,
  screen: ApprovalScreen | null,
): (readonly [string, string])[] {
  const now = clock();
  // A denial stays.
  if (decision === 'deny')
    return [
      ['denied by', approver],
      ['proposal', hash],
    ];
  const missing = screen === null ? 0 : screen.needed - screen.given;
  return [
    ['approved by', approver],
    ['proposal', hash],
    ['until', localInstant(new Date(end).toISOString(), { now })],
    ...(screen === null ? [] : [['approvals', `${screen.given} of ${screen.needed}`] as const]),
    missing > 0
      ? ['missing', `${missing} more, of ${screen?.could_approve.join(', ') || 'no listed approver'}`]
      : ['next', commandLine(screen?.is_rollback ? ['rollback', run, String(step)] : ['resume', run])],
  ];
}

/** A statement that was signed elsewhere, and its proposal; null without one. */
async function signedElsewhere(
  { options: { statement: file, signature }, io }: AnswerCall,
  decision: Answer,
): Promise<(SignedStatement & { hash: string }) | null> {
  if (file === undefined || signature === undefined) return null;
  const text = await readSource(file, io);
  const statement = readSignedStatement(text, file, decision);
  return { text, signature: await readSource(signature, io), hash: statement.proposal_hash };
}

/** The answer of the person who is here, once they have seen what they answer: signed with a key, or typed at a terminal. */
async function signedHere(
  ctx: OperationContext,
  call: AnswerCall,
  subject: Approvable,
  decision: Answer,
): Promise<SignedStatement> {
  const { options, io } = call;
  const reason = reasonOf(ctx, options.reason);
  const statementOf = (approver: string) => statementFor(subject, approver, decision, ctx.clock(), reason);
  if (options.key === undefined) {
    const approver = approverByAccount(subject, callerIdentity(ctx.caller), decision);
    await confirmSeen(ctx, call, subject, decision, true);
    return signedWith(statementOf(approver), null);
  }
  const { publicKeyOf } = await import('../../../host/ssh/sign.ts');
  const file = resolve(io.cwd, options.key);
  const approver = approverByKey(subject, await publicKeyOf(file));
  await confirmSeen(ctx, call, subject, decision, false);
  return signedWith(statementOf(approver), file);
}

/** What is signed can't be redacted afterwards. */
function reasonOf(ctx: OperationContext, reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined;
  requireReason(reason);
  if (ctx.redact(reason) === reason) return reason;
  throw new KairosError(
    'INVALID_INPUT',
    'the reason contains a secret of this machine, and reasons are recorded',
    { hint: 'Leave out the secret.' },
  );
}

/**
 * Shows the proposal and asks for the answer. Without a terminal, the call must name the whole hash, and `byTerminal` answers
 * are rejected. Throws USAGE when the answer was not confirmed.
 */
async function confirmSeen(
  ctx: OperationContext,
  call: AnswerCall,
  { state, proposal }: Approvable,
  decision: Answer,
  byTerminal: boolean,
): Promise<void> {
  const { output } = call;
  const screen = await screenFor(ctx, state, proposal);
  const rows = screen === null ? [] : screenRows(screen, { now: ctx.clock() });
  if (await typedWord(call, rows, decision, output.json || call.io.stdout.isTTY !== true)) return;
  if (byTerminal)
    throw new KairosError('USAGE', 'nothing was answered: no terminal is available, and --key is missing', {
      hint: 'Answer at a terminal, or sign with an SSH key: --key FILE.',
    });
  const read = `Read it with: ${ctx.commandLine(['proposal', 'show', state.runId])}`;
  requireWholeHash(call, proposal.hash, decision, `${read} and give the hash from there.`);
  if (!output.json) await showScreen(rows, output, false);
}

/**
 * Shows the proposal at a terminal and asks the person to type the decision. Returns false without a terminal.
 * `aside`: standard output is for something else. Throws USAGE for another word.
 */
export async function typedWord(
  call: Call<unknown[], unknown>,
  rows: ScreenRows,
  decision: Answer,
  aside: boolean,
): Promise<boolean> {
  const answer = await withPrompter(call, {}, async (prompter) => {
    if (!prompter.interactive) return null;
    await showScreen(rows, call.output, aside);
    const message = `Do you ${decision} this proposal?`;
    return prompter.phrase({ name: decision, message, phrase: decision });
  });
  if (answer === null) return false;
  if (answer.kind === 'answer' && answer.value === true && answer.assurance === 'client') return true;
  throw new KairosError('USAGE', 'nothing was answered: the word was not typed', {
    hint: 'Run the command again and type the word to answer.',
  });
}

/** Without a terminal, the hash in the call shows that the proposal was read. Throws USAGE for another hash or none. */
export function requireWholeHash(
  { args }: Call<[string, string | undefined], unknown>,
  hash: string,
  decision: Answer,
  hint: string,
): void {
  if (args[1]?.toLowerCase() === hash) return;
  throw new KairosError('USAGE', `without a terminal, name what you ${decision} by its whole hash`, { hint });
}

type ScreenRows = [label: string, text: string][];

/** `aside`: standard output is for something else. */
export async function showScreen(rows: ScreenRows, output: Output, aside: boolean): Promise<void> {
  const { color, noteColor, columns, noteColumns } = output;
  if (aside) output.note(`${await keyValues(rows, { color: noteColor, wrapAt: noteColumns })}\n`);
  else output.print(`${await keyValues(rows, { color, wrapAt: columns })}\n`);
}

export interface AnswerOptions {
  key?: string;
  statement?: string;
  signature?: string;
  /** Of a denial. */
  reason?: string;
}
