import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import type { ApprovalStatement } from '../../../gate/approval/statement.ts';
import { readSource } from '../../../host/files/read-source.ts';
import { approvable, giveApproval, requireAnswerable } from '../../../operations/approve.ts';
import {
  approverInRequest,
  MAX_EXCHANGE,
  type ProposalAnswer,
  type ProposalRequest,
  proposalRequest,
  readProposalAnswer,
  readProposalRequest,
  requireReason,
  signedWith,
  statementOn,
} from '../../../operations/approve-elsewhere.ts';
import { storedRun } from '../../../operations/run/locate.ts';
import { screenRows } from '../../../run/present/approval-screen.ts';
import { type Call, type Handler, writeOut } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';
import { namedRun } from '../../views/run.ts';
import { requireWholeHash, showScreen, typedWord } from './answer.ts';

/** `kairos proposal request`. */
export const proposalRequestCommand: Handler<[string, string | undefined], RequestOptions> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { runId } = await namedRun(ctx, call.output, call.args[0]);
    const subject = await approvable(ctx, runId, call.args[1]);
    const request = await proposalRequest(ctx, subject);
    return put(call, request);
  });

/** `kairos proposal sign`: on any machine, without a store. */
export const proposalSignCommand: Handler<[string, string | undefined], SignOptions> = async (call) => {
  const { args, options, io } = call;
  if (options.reason !== undefined && options.deny !== true)
    throw new KairosError('USAGE', '--reason goes with --deny', {
      hint: 'Add --deny, or leave --reason out.',
    });
  if (options.reason !== undefined) requireReason(options.reason);
  const request = readProposalRequest(await readSource(args[0], io, MAX_EXCHANGE), args[0]);
  const { publicKeyOf } = await import('../../../host/ssh/sign.ts');
  const file = resolve(io.cwd, options.key);
  const key = await publicKeyOf(file);
  const approver = approverInRequest(request, key, options.key);
  const decision = options.deny === true ? 'deny' : 'approve';
  await confirmRequest(call, request, decision);
  const statement = statementOn(request, { approver, decision, reason: options.reason, now: io.now() });
  const { text, signature } = await signedWith(statement, file);
  const answer: ProposalAnswer = {
    kairos: 'proposal-answer',
    v: 1,
    statement: text,
    signature: signature ?? '',
  };
  return put(call, answer);
};

/** `kairos proposal submit-answer`. */
export const proposalSubmitAnswerCommand: Handler<[string], unknown> = async (call) => {
  const text = await readSource(call.args[0], call.io, MAX_EXCHANGE);
  const { statement, answer } = readProposalAnswer(text, call.args[0]);
  return withContext(call, { onRun: true }, async (ctx) => {
    const { runId } = await storedRun(ctx, statement.run_id);
    const subject = await approvable(ctx, runId, statement.proposal_hash);
    await requireAnswerable(ctx, subject, statement.decision);
    const { approver, decision } = await giveApproval(ctx, subject, answer.statement, answer.signature);
    if (call.output.json) call.output.object(statement);
    else
      call.output.print(
        await keyValues(
          [
            [decision === 'approve' ? 'approved by' : 'denied by', approver],
            ['proposal', statement.proposal_hash],
            ['run', runId],
          ],
          call.output,
        ),
      );
    return EXIT.ok;
  });
};

/** Shows what the file asks for, and asks. Without a terminal the whole hash has to have been given. */
async function confirmRequest(
  call: Call<[string, string | undefined], SignOptions>,
  { screen }: ProposalRequest,
  decision: ApprovalStatement['decision'],
): Promise<void> {
  const rows = screenRows(screen, { now: call.io.now(), claimed: true });
  if (await typedWord(call, rows, decision, true)) return;
  requireWholeHash(call, screen.proposal_hash, decision, 'Read the request, and give its proposal_hash.');
  // Standard output is the answer's.
  if (!call.output.json) await showScreen(rows, call.output, true);
}

/** Characters from which on a file is written without indents. */
const LONG = 200_000;

async function put(call: Call<unknown[], { out?: string }>, value: object): Promise<number> {
  const indented = JSON.stringify(value, null, 2);
  const text = `${indented.length > LONG ? JSON.stringify(value) : indented}\n`;
  await writeOut({ ...call, options: { ...call.options, force: true } }, text, { json: true });
  return EXIT.ok;
}

export interface RequestOptions {
  out?: string;
}

export interface SignOptions {
  key: string;
  deny?: boolean;
  /** Of a denial. */
  reason?: string;
  out?: string;
}
