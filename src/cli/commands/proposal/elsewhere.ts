import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { keyIdentity } from '../../../gate/approval/ssh-key.ts';
import { type ApprovalStatement, readStatement, statementText } from '../../../gate/approval/statement.ts';
import { shownAction } from '../../../gate/approval/view.ts';
import { bindingHash } from '../../../gate/permit/permit.ts';
import { proposalHash } from '../../../gate/proposal.ts';
import { readSource } from '../../../host/files/read-source.ts';
import { writeFileAtomically } from '../../../host/files/write-file.ts';
import { approvable, giveApproval, requireAnswerable, screenFor } from '../../../operations/run/approve.ts';
import { storedRun } from '../../../operations/stored-run.ts';
import { isJsonObject, jsonEqual } from '../../../proof/json.ts';
import { type ApprovalScreen, screenRows } from '../../../run/present/approval-screen.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';
import { withPrompter } from '../../terminal/with-prompter.ts';

/** What an approver elsewhere gets: self-contained, and bound by what they sign. */
interface ProposalRequest {
  kairos: 'proposal-request';
  v: 1;
  screen: ApprovalScreen;
  /** The proposal itself; its hash is the one that is signed. */
  proposal: Record<string, unknown>;
  /** How long an approval counts, in milliseconds. */
  ttl_ms: number;
  /** The public keys that count, by approver. */
  keys: Record<string, string[]>;
}

interface ProposalAnswer {
  kairos: 'proposal-answer';
  v: 1;
  /** The signed bytes. */
  statement: string;
  /** Armoured SSH signature in the namespace kairos-approval. */
  signature: string;
}

/** `kairos proposal request`. */
export const proposalRequestCommand: Handler<[string, string | undefined], RequestOptions> = (call) =>
  withContext(call, { onRun: true }, async (ctx) => {
    const { runId } = await storedRun(ctx, call.args[0]);
    const subject = await approvable(ctx, runId, call.args[1]);
    await requireAnswerable(ctx, subject, 'approve');
    const screen = await screenFor(ctx, subject.state, subject.proposal);
    if (screen === null) throw new KairosError('INVALID_INPUT', `run ${runId} is past this proposal`);
    const { policy } = subject.loaded;
    const request: ProposalRequest = {
      kairos: 'proposal-request',
      v: 1,
      screen,
      proposal: JSON.parse(subject.proposal.text),
      ttl_ms: policy.approvals.ttl_ms,
      keys: Object.fromEntries(
        policy.approvers
          .filter(({ name }) => screen.could_approve.includes(name))
          .map(({ name, keys }) => [name, keys.map(({ key }) => keyIdentity(key))]),
      ),
    };
    return put(call, request);
  });

/** `kairos proposal sign`: on any machine, without a store. */
export const proposalSignCommand: Handler<[string, string | undefined], SignOptions> = async (call) => {
  const { args, options, io } = call;
  if (options.reason !== undefined && options.deny !== true)
    throw new KairosError('USAGE', '--reason goes with --deny');
  const request = readRequest(await readSource(args[0], io), args[0]);
  const { publicKeyOf, signApproval } = await import('../../../host/ssh/sign.ts');
  const file = resolve(io.cwd, options.key);
  const key = await publicKeyOf(file);
  const approver = Object.entries(request.keys).find(([, keys]) => keys.includes(key))?.[0];
  if (approver === undefined)
    throw new KairosError('INVALID_INPUT', `the key ${options.key} is not one that can approve this`, {
      hint: `Those of ${Object.keys(request.keys).join(', ') || 'nobody'} can.`,
    });
  const decision = options.deny === true ? 'deny' : 'approve';
  await confirmRequest(call, request, decision);
  const { screen } = request;
  const statement: ApprovalStatement = {
    v: 1,
    decision,
    approver,
    proposal_hash: screen.proposal_hash,
    run_id: screen.run_id,
    step: screen.step.index,
    chain_digest: screen.protocol.digest,
    policy_digest: screen.policy?.digest ?? '',
    ...(screen.binding === null ? {} : { binding: screen.binding }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    expires_at_ms: io.now() + request.ttl_ms,
  };
  const answer: ProposalAnswer = {
    kairos: 'proposal-answer',
    v: 1,
    statement: statementText(statement),
    signature: await signApproval(statement, file),
  };
  return put(call, answer);
};

/** `kairos proposal submit-answer`. */
export const proposalSubmitAnswerCommand: Handler<[string], unknown> = async (call) => {
  const text = await readSource(call.args[0], call.io);
  const answer = parse(text, call.args[0], 'proposal-answer') as unknown as ProposalAnswer;
  const statement = typeof answer.statement === 'string' ? readStatement(answer.statement) : null;
  if (statement === null || typeof answer.signature !== 'string')
    throw new KairosError('INVALID_INPUT', `${call.args[0]} holds no signed statement`);
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
  const shown = await keyValues(screenRows(screen, { now: call.io.now() }), call.output);
  const answer = await withPrompter(call, {}, async (prompter) =>
    prompter.interactive
      ? prompter.phrase({
          name: decision,
          message: `${shown}\n\nType "${decision}" to ${decision} it:`,
          phrase: decision,
        })
      : null,
  );
  if (answer?.kind === 'answer' && answer.value === true && answer.assurance === 'client') return;
  if (answer !== null) throw new KairosError('USAGE', 'nothing was signed: the word was not typed');
  if (call.args[1]?.toLowerCase() === screen.proposal_hash) return;
  throw new KairosError('USAGE', `without a terminal, name what you ${decision} by its whole hash`, {
    hint: 'Read the request, and give the proposal_hash that stands in it.',
  });
}

/** A request whose hash is that of the proposal in it: what is shown is what is signed. */
function readRequest(text: string, name: string): ProposalRequest {
  const request = parse(text, name, 'proposal-request') as unknown as ProposalRequest;
  const { screen, proposal, keys } = request;
  if (!isJsonObject(screen) || !isJsonObject(proposal) || !isJsonObject(keys))
    throw new KairosError('INVALID_INPUT', `${name} is not a whole proposal request`);
  if (proposalHash(proposal) !== screen.proposal_hash)
    throw new KairosError(
      'INVALID_INPUT',
      `${name} was changed: its proposal has another hash than it says`,
      {
        hint: 'Ask for the request again.',
      },
    );
  const { bound, binding } = screen;
  const isTrue =
    isJsonObject(bound) &&
    bindingHash(bound) === binding &&
    jsonEqual(screen.action, shownAction(bound.resolved)) &&
    jsonEqual(screen.variables, bound.variables) &&
    jsonEqual(screen.place?.host ?? null, bound.place?.host ?? null) &&
    jsonEqual(screen.place?.directory ?? null, bound.place?.workdir ?? null) &&
    screen.protocol.digest === bound.chainDigest &&
    jsonEqual(screen.target, proposal.target ?? screen.target) &&
    jsonEqual(screen.parameters, proposal.parameters ?? screen.parameters);
  if (isTrue) return request;
  throw new KairosError(
    'INVALID_INPUT',
    `${name} was changed: it shows something else than what would be signed`,
    {
      hint: 'Ask for the request again.',
    },
  );
}

function parse(text: string, name: string, kind: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new KairosError('INVALID_INPUT', `${name} is not JSON`, { cause });
  }
  if (isJsonObject(value) && value.kairos === kind && value.v === 1) return value;
  throw new KairosError('INVALID_INPUT', `${name} is not a ${kind.replace('-', ' ')} of kairos`);
}

async function put(call: Call<unknown[], { out?: string }>, value: object): Promise<number> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const { out } = call.options;
  if (out === undefined) call.output.document(text, { json: true });
  else await writeFileAtomically(resolve(call.io.cwd, out), text, true);
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
