import { resolve } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';
import { KairosError } from '../../base/errors.ts';
import { statementText } from '../../gate/approval/statement.ts';
import type { OperationContext } from '../../run/context.ts';
import {
  type Approvable,
  approvable,
  approverByAccount,
  approverByKey,
  giveApproval,
  statementFor,
} from '../../run/service/approve.ts';
import type { Call, Handler } from '../command.ts';
import { withContext } from '../context.ts';
import type { AnswerOptions } from '../definitions/proposal.ts';
import { EXIT } from '../io.ts';
import { readSource } from '../read-source.ts';
import { choosePrompter } from '../ui/choose-prompter.ts';
import { watchSignals } from '../ui/interrupt.ts';
import { keyValues } from '../ui/layout.ts';
import { storedRun } from './stored-run.ts';

type AnswerCall = Call<[string, string | undefined], AnswerOptions>;
type Answer = 'approve' | 'deny';

/** `kairos proposal approve` and `deny`. With `--json`: the statement that went on record. */
export function answerCommand(decision: Answer): Handler<[string, string | undefined], AnswerOptions> {
  return (call) =>
    withContext(call, {}, async (ctx) => {
      const { runId } = await storedRun(ctx, call.args[0]);
      const subject = await approvable(ctx, runId, call.args[1]);
      const { text, signature } = await obtain(ctx, call, subject, decision);
      const statement = await giveApproval(ctx, subject, text, signature);
      if (call.output.json) call.output.object(statement);
      else
        call.output.print(
          await keyValues(
            [
              [statement.decision === 'approve' ? 'approved by' : 'denied by', statement.approver],
              ['proposal', statement.proposal_hash],
              ['until', new Date(statement.expires_at_ms).toISOString()],
            ],
            call.output,
          ),
        );
      return EXIT.ok;
    });
}

/** The words of the answer and what proves them: signed elsewhere, signed here, or typed at a terminal. */
async function obtain(
  ctx: OperationContext,
  call: AnswerCall,
  subject: Approvable,
  decision: Answer,
): Promise<{ text: string; signature: string | null }> {
  const { options, io } = call;
  if ((options.statement === undefined) !== (options.signature === undefined))
    throw new KairosError('USAGE', '--statement and --signature go together');
  if (options.statement !== undefined && options.signature !== undefined) {
    return {
      text: await readSource(options.statement, io),
      signature: await readSource(options.signature, io),
    };
  }
  if (options.key === undefined) {
    const approver = approverByAccount(subject, ctx.caller.actor, decision);
    await typed(call, subject, decision);
    return { text: statementText(statementFor(subject, approver, decision, ctx.clock())), signature: null };
  }
  const { publicKeyOf, signStatement } = await import('../../gate/ssh/sign.ts');
  const file = resolve(io.cwd, options.key);
  const approver = approverByKey(subject, await publicKeyOf(file));
  const statement = statementFor(subject, approver, decision, ctx.clock());
  return { text: statementText(statement), signature: await signStatement(statement, file) };
}

/** A person at a terminal reads the proposal and types the answer; nothing else can. */
async function typed({ io, output }: AnswerCall, { proposal }: Approvable, decision: Answer): Promise<void> {
  const interrupts = watchSignals();
  const prompter = choosePrompter({
    stdin: io.stdin as ReadStream,
    stdout: io.stdout as WriteStream,
    stderr: io.stderr as WriteStream,
    env: io.env,
    interrupts,
    flags: { json: output.json, color: 'auto', noInput: false, yes: false },
  });
  try {
    const answer = prompter.interactive
      ? await prompter.phrase({
          name: decision,
          message: `${JSON.stringify(JSON.parse(proposal.text), null, 2)}\nType "${decision}" to ${decision} it:`,
          phrase: decision,
        })
      : null;
    if (answer?.kind === 'answer' && answer.value === true && answer.assurance === 'client') return;
  } finally {
    prompter.close();
    interrupts.dispose();
  }
  throw new KairosError('USAGE', 'nothing was answered: that takes a person at a terminal, or --key', {
    hint: 'Sign with an SSH key: --key FILE.',
  });
}
