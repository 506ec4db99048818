import { randomUUID } from 'node:crypto';
import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Verify } from '../../host/verifier/openai-compatible.ts';
import { type AttestInput, type AttestOutput, pendingUserInput } from '../../operations/attest.ts';
import type { BeginInput } from '../../operations/begin.ts';
import type { OperationContext } from '../../operations/context.ts';
import { asksForUser, withoutEmptySampling } from '../../operations/input.ts';
import { type NextInput, next } from '../../operations/next.ts';
import type { SearchOutput } from '../../operations/search.ts';
import type { AskFailure } from '../../run/decide/draft.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { MESSAGES } from '../../run/wording.ts';
import {
  asRead,
  type ClientQuestion,
  type ClientReply,
  type InputsQuestion,
  push,
  readReply,
  requestFor,
  type StepQuestion,
  secondOpinion,
} from './ask.ts';
import { formForInputs, readInputsReply } from './inputs.ts';
import { waiting } from './open-asks.ts';
import {
  type AskedProofType,
  driversFor,
  type ElicitationMethod,
  type ElicitationOutcome,
  elicitationFailure,
  type Telemetry,
  triesNext,
} from './plan.ts';
import { ANSWER, questionIn, UNASKED, withNotes } from './question.ts';
import type { Capabilities, ElicitationSettings } from './settings.ts';

/** What the directors of all calls share. */
export interface ElicitationServices {
  settings: ElicitationSettings;
  telemetry: Telemetry;
  /** May refuse what the checks have let pass. */
  verify?: Verify;
}

/** One call of a tool, and how its client is asked. */
interface Talk {
  ctx: OperationContext;
  request: ServerContext;
  can: Capabilities;
  /** Returns the question in the result (2026-07-28). Null: the client is asked while the call waits (2025). */
  suspend: Suspend | null;
  /** The question that this call answers. */
  resumed: ClientQuestion | null;
  progress: (message: string) => Promise<void>;
}

/** Null: the client was asked this before and returned no answer. */
type Suspend = (ask: ClientQuestion) => Promise<InputRequiredResult | null>;

type Start = (input: BeginInput, given?: { runId: string }) => Promise<RunFields | SearchOutput>;

type Directed<T> = T | InputRequiredResult;

/** Asks the client about steps that the server asks about itself, and hands the answers in (SPEC 6). */
export interface Elicitation {
  /** Asks for inputs that are missing. `start` is the call as it would be without a director. */
  begin(input: BeginInput, start: Start): Promise<Directed<RunFields | SearchOutput>>;
  /** `walk` is the call as it would be without a director. */
  next(input: NextInput, walk: (input: NextInput) => Promise<RunFields>): Promise<Directed<RunFields>>;
  /** `close` likewise. */
  attest(
    input: AttestInput,
    close: (input: AttestInput) => Promise<AttestOutput>,
  ): Promise<Directed<AttestOutput | RunFields>>;
}

/** One call has no more questions in a row answered than this; the agent makes the next call. */
const MOST_IN_A_ROW = 8;

export function createElicitation(
  { settings, telemetry, verify }: ElicitationServices,
  talk: Talk,
): Elicitation {
  const { ctx, request, can, suspend, resumed } = talk;

  const about = resumed !== null && resumed.asked !== 'inputs' ? resumed : null;

  return {
    async begin(input, start) {
      if (resumed?.asked === 'inputs') return settleInputs(resumed, replyIn(resumed), input, start);
      const answer = await start(input);
      const isAsked = 'input_schema' in answer && driversFor(settings, can).includes('elicitation');
      const form = isAsked ? formForInputs(answer.input_schema!, input.inputs ?? {}) : null;
      if (form === null) return answer;
      const ask: InputsQuestion = {
        asked: 'inputs',
        driver: 'elicitation',
        runId: randomUUID(),
        uri: input.uri ?? input.key ?? '',
        form,
        askedAt: ctx.clock(),
      };
      const reply = await obtain(ask);
      return 'resultType' in reply ? reply : settleInputs(ask, reply, input, start);
    },

    async next(input, walk) {
      if (about !== null) return settle(about, replyIn(about));
      return follow(await walk(withoutEmptySampling(input)), { forUser: asksForUser(input), before: 0 });
    },

    async attest(input, close) {
      const { solution: _, proof_of_work: __, ...bare } = input;
      const first = about === null ? await firstAtAttest(input) : null;
      if (about === null && first === null) return close(asksForUser(input) ? bare : input);
      const answer =
        about !== null ? await settle(about, replyIn(about)) : await follow(first!, USER_AT_ATTEST);
      if ('resultType' in answer) return answer;
      const { protocol_status: status, run_id: runId } = answer as RunFields;
      return status === 'completed' ? close({ ...bare, run_id: runId ?? bare.run_id }) : answer;
    },
  };

  /** The pending step for which attest got a placeholder; null without a placeholder or such a step. */
  async function firstAtAttest(input: AttestInput): Promise<RunFields | null> {
    if (input.outcome !== 'success' || !asksForUser(input)) return null;
    const pending = await pendingUserInput(ctx, input);
    return pending === null ? null : next(ctx, { ...pending, solution: { type: 'user_input' } });
  }

  async function follow(
    answer: RunFields,
    { forUser, before }: { forUser: boolean; before: number },
  ): Promise<Directed<RunFields>> {
    const asked = before < MOST_IN_A_ROW ? questionIn(answer, { forUser }) : null;
    if (asked === null) return answer;
    const [driver, ...rest] = driversOf(asked);
    const runId = answer.run_id ?? '';
    if (driver === undefined) {
      telemetry.leftToAgent({ asked, runId });
      if (asked !== 'user_input') return answer;
      return withNotes(answer, MESSAGES.userNotAsked, elsewhere(runId));
    }
    const { challenge, current_step: step } = answer;
    const slug = (await ctx.store.findRun(runId))?.slug ?? '';
    return put({
      asked,
      driver,
      rest,
      runId,
      uri: step!.uri,
      place: `${slug}, step ${step!.position}`,
      challenge: challenge!,
      auto: settings.allowAutoSampling.includes(slug),
      before,
      askedAt: ctx.clock(),
      proofHash: answer.proof_hash ?? null,
      note: answer.error_code ? null : (answer.message ?? null),
    });
  }

  /** How a person answers without this client. */
  function elsewhere(runId: string): string {
    return MESSAGES.answerElsewhere(ctx.commandLine(['answer', runId]));
  }

  function driversOf(asked: AskedProofType): ElicitationMethod[] {
    if (asked === 'user_input') return driversFor(settings, can);
    return can.sampling && settings.samplingDriver === 'client' ? ['sampling'] : [];
  }

  async function put(ask: StepQuestion): Promise<Directed<RunFields>> {
    const reply = await obtain(ask);
    return 'resultType' in reply ? reply : settle(ask, reply);
  }

  /** Asks the client: its reply, or the result that asks. */
  async function obtain(ask: ClientQuestion): Promise<Directed<ClientReply>> {
    telemetry.begun(ask);
    if (suspend !== null)
      return (await suspend(ask)) ?? { kind: 'failed', reason: 'asked before, without an answer' };
    return waiting(ask.asked, talk.progress, () => push(request, requestFor(ask), settings.timeoutMs));
  }

  async function settleInputs(
    ask: InputsQuestion,
    reply: ClientReply,
    input: BeginInput,
    start: Start,
  ): Promise<RunFields | SearchOutput> {
    const tookMs = Math.max(0, ctx.clock() - ask.askedAt);
    const outcome = asRead(readInputsReply(reply), ask, tookMs);
    const reason = reply.kind === 'result' ? undefined : reply.reason;
    telemetry.ended({ ...ask, outcome: outcome.kind, seconds: tookMs / 1000, reason });
    const isAnswered = outcome.kind === 'answered';
    const inputs = isAnswered ? { ...(outcome.answer as object), ...input.inputs } : input.inputs;
    const answer = await start({ ...input, inputs }, { runId: ask.runId });
    if (isAnswered || !('input_schema' in answer)) return answer;
    if (outcome.kind !== 'declined') return withNotes(answer, MESSAGES.inputsNotObtained);
    return { ...answer, error_code: 'USER_DECLINED', message: MESSAGES.inputsDeclined };
  }

  function replyIn({ askedAt }: ClientQuestion): ClientReply {
    if (ctx.clock() - askedAt > settings.timeoutMs) return { kind: 'timed_out', reason: 'too late' };
    const result = request.mcpReq.inputResponses?.[ANSWER];
    return result === undefined
      ? { kind: 'invalid', reason: 'no answer under the name that was given' }
      : { kind: 'result', result };
  }

  async function settle(ask: StepQuestion, reply: ClientReply): Promise<Directed<RunFields>> {
    const tookMs = Math.max(0, ctx.clock() - ask.askedAt);
    const outcome = asRead(await readReply(ask, reply), ask, tookMs);
    const reason = reply.kind === 'result' ? undefined : reply.reason;
    const seconds = tookMs / 1000;
    telemetry.ended({ ...ask, outcome: outcome.kind, seconds, reason });
    const [driver, ...rest] = ask.rest;
    if (triesNext(outcome) && driver !== undefined)
      return put({ ...ask, driver, rest, askedAt: ctx.clock() });
    const told = await handIn(ask, outcome);
    const answer = {
      ...told,
      ...(told.proof_hash === undefined && ask.proofHash !== null ? { proof_hash: ask.proofHash } : {}),
    };
    const failed = ask.asked === 'user_input' && UNASKED.has(told.error_code ?? '');
    const notes = [...(ask.note === null ? [] : [ask.note]), ...(failed ? [elsewhere(ask.runId)] : [])];
    return follow(withNotes(answer, ...notes), { forUser: false, before: ask.before + 1 });
  }

  async function handIn(ask: StepQuestion, outcome: ElicitationOutcome): Promise<RunFields> {
    const { asked, driver, runId, uri, challenge } = ask;
    const bound = { type: asked, nonce: challenge.nonce, proof_hash: challenge.proof_hash };
    const hand = (solution: object, failed?: AskFailure) =>
      next(
        ctx,
        { uri, run_id: runId, solution },
        { assurance: 'client', ...(failed === undefined ? {} : { failed }) },
      );
    const fail = (failed: AskFailure) => {
      telemetry.failed({ asked, driver, runId, code: failed.code });
      return hand(bound, failed);
    };
    // No caller is left to receive the answer; nothing is proven.
    if (outcome.kind === 'cancelled') return next(ctx, { uri, run_id: runId });
    if (outcome.kind === 'declined' && asked === 'user_input') {
      telemetry.failed({ asked, driver, runId, code: 'USER_DECLINED' });
      return hand({ ...bound, user_input: said('rejected') });
    }
    if (outcome.kind !== 'answered') return fail(elicitationFailure(asked, driver, outcome.kind));
    const opinion = await secondOpinion(verify, ask, outcome.answer);
    if (opinion.kind !== 'passed') {
      telemetry.ended({ ...ask, outcome: opinion.kind, seconds: 0, reason: opinion.reason });
      const message = opinion.kind === 'refused' ? MESSAGES.answerRefused : MESSAGES.verifierSilent;
      return fail({
        ...elicitationFailure(asked, driver, 'failed'),
        message,
        reason: ctx.redact(opinion.reason),
      });
    }
    return asked === 'sampling'
      ? hand({ ...bound, sampling: { result: outcome.answer } })
      : hand({ ...bound, user_input: said(outcome.answer) });
  }

  function said(confirmation: unknown) {
    return { confirmation, timestamp: new Date(ctx.clock()).toISOString() };
  }
}

const USER_AT_ATTEST = { forUser: true, before: 0 };
