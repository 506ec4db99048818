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

/** `kairos proposal approve` and `deny`. With `--json`: the statement that went on record. */
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
              // A no stays.
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

/** The words of an answer, and what proves them. */
interface Signed {
  text: string;
  /** Null where they were typed at a terminal. */
  signature: string | null;
}

/** A statement that was signed elsewhere, and the proposal that it is about; null when none was handed in. */
async function signedElsewhere(
  { options: { statement: file, signature }, io }: AnswerCall,
  decision: Answer,
): Promise<(Signed & { hash: string }) | null> {
  if (file === undefined || signature === undefined) return null;
  const text = await readSource(file, io);
  const statement = readStatement(text);
  if (statement === null)
    throw new KairosError('INVALID_INPUT', `${file} holds no statement about a proposal`, {
      hint: 'It is one line of canonical JSON (RFC 8785), signed byte for byte.',
    });
  if (statement.decision !== decision)
    throw new KairosError('INVALID_INPUT', `the statement says ${statement.decision}, not ${decision}`, {
      hint: `Hand it in with: kairos proposal ${statement.decision}`,
    });
  return { text, signature: await readSource(signature, io), hash: statement.proposal_hash };
}

/** The answer of whoever is here: signed with a key, or typed at a terminal. */
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

/** A person at a terminal reads the proposal and types the answer; nothing else can. */
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
  throw new KairosError('USAGE', 'nothing was answered: that takes a person at a terminal, or --key', {
    hint: 'Sign with an SSH key: --key FILE.',
  });
}
