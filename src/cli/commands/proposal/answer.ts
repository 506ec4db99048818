import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { readStatement, statementText } from '../../../gate/approval/statement.ts';
import type { OperationContext } from '../../../operations/context.ts';
import {
  type Approvable,
  approvable,
  approverByAccount,
  approverByKey,
  giveApproval,
  requireAnswerable,
  statementFor,
} from '../../../operations/run/approve.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { readSource } from '../../read-source.ts';
import { keyValues } from '../../terminal/layout.ts';
import { withPrompter } from '../../terminal/with-prompter.ts';
import { storedRun } from '../stored-run.ts';
import type { AnswerOptions } from './options.ts';

type AnswerCall = Call<[string, string | undefined], AnswerOptions>;
type Answer = 'approve' | 'deny';

/** `kairos proposal approve` and `deny`. With `--json`: the recorded statement. */
export function answerCommand(decision: Answer): Handler<[string, string | undefined], AnswerOptions> {
  return (call) =>
    withContext(call, { onRun: true }, async (ctx) => {
      const { args, options, output } = call;
      if ((options.statement === undefined) !== (options.signature === undefined))
        throw new KairosError('USAGE', '--statement and --signature go together');
      const { runId } = await storedRun(ctx, args[0]);
      const elsewhere = await signedElsewhere(call, decision);
      const subject = await approvable(ctx, runId, args[1] ?? elsewhere?.hash);
      await requireAnswerable(ctx, subject, decision);
      const { text, signature } = elsewhere ?? (await signedHere(ctx, call, subject, decision));
      const statement = await giveApproval(ctx, subject, text, signature);
      if (output.json) output.object(statement);
      else
        output.print(
          await keyValues(
            [
              [statement.decision === 'approve' ? 'approved by' : 'denied by', statement.approver],
              ['proposal', statement.proposal_hash],
              // A denial is final.
              ...(decision === 'deny'
                ? []
                : [['until', new Date(statement.expires_at_ms).toISOString()] as const]),
            ],
            output,
          ),
        );
      return EXIT.ok;
    });
}

/** The text of an approval or denial, and its signature. */
interface Signed {
  text: string;
  /** Null for a text typed at a terminal. */
  signature: string | null;
}

/** A statement that was signed elsewhere, and its proposal; null without one. */
async function signedElsewhere(
  { options: { statement: file, signature }, io }: AnswerCall,
  decision: Answer,
): Promise<(Signed & { hash: string }) | null> {
  if (file === undefined || signature === undefined) return null;
  const text = await readSource(file, io);
  const statement = readStatement(text);
  if (statement === null)
    throw new KairosError('INVALID_INPUT', `${file} does not contain a statement about a proposal`, {
      hint: 'It is one line of canonical JSON (RFC 8785), signed byte for byte.',
    });
  if (statement.decision !== decision)
    throw new KairosError(
      'INVALID_INPUT',
      `the statement's decision is ${statement.decision}, not ${decision}`,
      {
        hint: `Submit it with: kairos proposal ${statement.decision}`,
      },
    );
  return { text, signature: await readSource(signature, io), hash: statement.proposal_hash };
}

/** The statement of the current user: signed with a key, or typed at a terminal. */
async function signedHere(
  ctx: OperationContext,
  call: AnswerCall,
  subject: Approvable,
  decision: Answer,
): Promise<Signed> {
  const { options, io } = call;
  if (options.key === undefined) {
    const approver = approverByAccount(subject, ctx.caller.actor, decision);
    await typed(call, subject, decision);
    return { text: statementText(statementFor(subject, approver, decision, ctx.clock())), signature: null };
  }
  const { publicKeyOf, signStatement } = await import('../../../host/ssh/sign.ts');
  const file = resolve(io.cwd, options.key);
  const approver = approverByKey(subject, await publicKeyOf(file));
  const statement = statementFor(subject, approver, decision, ctx.clock());
  return { text: statementText(statement), signature: await signStatement(statement, file) };
}

/** Only a person at a terminal can read the proposal and type the decision. */
async function typed(call: AnswerCall, { proposal }: Approvable, decision: Answer): Promise<void> {
  const answer = await withPrompter(call, {}, async (prompter) =>
    prompter.interactive
      ? prompter.phrase({
          name: decision,
          message: `${JSON.stringify(JSON.parse(proposal.text), null, 2)}\nType "${decision}" to ${decision} it:`,
          phrase: decision,
        })
      : null,
  );
  if (answer?.kind === 'answer' && answer.value === true && answer.assurance === 'client') return;
  throw new KairosError('USAGE', 'nothing was recorded: use a terminal, or sign with --key', {
    hint: 'Sign with an SSH key: --key FILE.',
  });
}
