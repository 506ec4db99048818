import type { ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import type { Verify, VerifyRequest } from '../../../src/host/verifier/openai-compatible.ts';
import type { ClientQuestion, StepQuestion } from '../../../src/mcp/elicitation/ask.ts';
import { createElicitation, type ElicitationServices } from '../../../src/mcp/elicitation/elicit.ts';
import { createTelemetry } from '../../../src/mcp/elicitation/plan.ts';
import { createMetrics } from '../../../src/mcp/server/metrics.ts';
import { type NextInput, next } from '../../../src/operations/next.ts';
import type { RunFields } from '../../../src/run/walk-fields.ts';
import { walkToGuard } from '../../gate/support/walk.ts';
import { makeContext, type TestContext } from '../../support/context.ts';
import { protocolOf, protocolWith, type StepKind } from '../../support/protocols.ts';
import { startWalk, type Walk } from '../../support/walk.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const SETTINGS = {
  driver: 'elicitation',
  serverDriver: true,
  samplingDriver: 'client',
  timeoutMs: 600_000,
  allowAutoSampling: [],
} as const;
const says = (text: string) => ({ role: 'assistant', model: 'm', content: { type: 'text', text } });
const PARTS = says('{"parts": 3}');

/** A walk whose questions are put into results and answered here: the engine is real, the client is these lines. */
async function direct(markdown: string, services: Partial<ElicitationServices> = {}) {
  const ctx = await makeContext({ caller: { interface: 'mcp' } });
  return directWalk(ctx, await startWalk(ctx, markdown), services);
}

function directWalk(ctx: TestContext, walk: Walk, services: Partial<ElicitationServices> = {}) {
  const metrics = createMetrics();
  const shared: ElicitationServices = {
    settings: SETTINGS,
    telemetry: createTelemetry({ log: silent, metrics }),
    ...services,
  };
  let open: ClientQuestion | null = null;
  const turn = (resumed: ClientQuestion | null, response?: unknown) =>
    createElicitation(shared, {
      ctx,
      request: { mcpReq: { inputResponses: { answer: response } } } as unknown as ServerContext,
      can: { elicitation: true, sampling: true, roots: false },
      suspend: async (ask) => {
        open = ask;
        return { resultType: 'input_required', requestState: 'kept here' };
      },
      resumed,
      progress: async () => {},
    });
  return {
    ctx,
    walk,
    metrics,
    get open() {
      return open;
    },
    call: (input: Partial<NextInput> = {}) =>
      turn(null).next({ uri: walk.uris[0]!, run_id: walk.runId, ...input }, (given) => next(ctx, given)),
    /** Answers the open question, by default after the time that a person needs to read it. */
    answer(response: unknown, tookMs = 1000) {
      const ask = open!;
      open = null;
      ctx.clock.advance(tookMs);
      return turn(ask, response).next({ uri: walk.uris[0]! }, () => {
        throw new Error('the call is not made again');
      });
    },
    rejected: async () =>
      (await ctx.store.readEntries(walk.runId))
        .filter(({ kind }) => kind === 'proof.rejected')
        .map(({ data }) => ({ code: data.code, counted: data.counted, reason: data.reason })),
  };
}

const askUser = protocolWith({
  proof_of_work: { type: 'user_input', user_input: { prompt: 'May it go on?' } },
});
const askModel = protocolOf(['sampling']);
const placeholder = { solution: { type: 'user_input' } };
const accept = { action: 'accept', content: { confirmation: 'approved' } };

describe('the director', () => {
  it('reads the time of an answer from its own clock', async () => {
    const { ctx, call, answer, walk } = await direct(askUser);
    await call(placeholder);
    ctx.clock.advance(61_000);
    expect(await answer(accept)).toMatchObject({ proof_hash: expect.any(String) });
    const accepted = (await ctx.store.readEntries(walk.runId)).find(({ kind }) => kind === 'proof.accepted');
    expect(accepted!.data).toMatchObject({
      assurance: 'client',
      user_input: { confirmation: 'approved', timestamp: new Date(ctx.clock()).toISOString() },
    });
  });

  it.each([
    ['decline', { action: 'decline' }],
    ['cancel', { action: 'cancel' }],
    ['rejected', { action: 'accept', content: { confirmation: 'rejected' } }],
  ])(
    'accepts a %s as the refusal of the user only after the time to read the question',
    async (_, refusal) => {
      const asking = await direct(askUser, { settings: { ...SETTINGS, serverDriver: false } });
      await asking.call(placeholder);
      expect(await asking.answer(refusal, 999)).toMatchObject({
        error_code: 'ELICITATION_FAILED',
        message: expect.stringContaining('not the answer of the user'),
        challenge: { type: 'user_input' },
      });
      expect(await asking.rejected()).toMatchObject([{ code: 'ELICITATION_FAILED', counted: false }]);
      await asking.call(placeholder);
      const declined = (await asking.answer(refusal)) as RunFields;
      expect(declined.error_code).toBe('USER_DECLINED');
      const again = /^call kairos_next with (\S+) and solution ({.*?}) and nothing else in it/.exec(
        declined.next_action!,
      )!;
      expect(await asking.call({ uri: again[1]!, solution: JSON.parse(again[2]!) })).toMatchObject({
        resultType: 'input_required',
      });
      expect(await asking.answer(accept)).toMatchObject({ protocol_status: 'completed' });
    },
  );

  it.each([
    ['a form', accept],
    ['a model that was to ask the user', says('{"confirmation": "approved"}')],
  ])(
    'accepts an answer by %s as the one of the user only after the time to read the question',
    async (_, given) => {
      const driver = given === accept ? 'elicitation' : 'sampling';
      const asking = await direct(askUser, { settings: { ...SETTINGS, driver } });
      await asking.call(placeholder);
      // Another driver may ask instead.
      expect(await asking.answer(given, 999)).toMatchObject({ resultType: 'input_required' });
      expect(await asking.rejected()).toEqual([]);
      const other = given === accept ? says('{"confirmation": "approved"}') : accept;
      const answer = await asking.answer(other, 999);
      expect(answer).toMatchObject({
        error_code: expect.stringMatching(/^(?:ELICITATION|SAMPLING)_FAILED$/),
        message: expect.stringMatching(/not the answer of the user.* kairos answer /),
        must_obey: true,
        retry_count: 0,
      });
      expect(await asking.rejected()).toMatchObject([{ counted: false }]);
      await asking.call(placeholder);
      expect(await asking.answer(given)).toMatchObject({ protocol_status: 'completed' });
    },
  );

  it('rejects an answer a moment too late, and asks no other party', async () => {
    const asking = await direct(askUser);
    await asking.call(placeholder);
    asking.ctx.clock.advance(600_001);
    expect(await asking.answer(accept)).toMatchObject({ error_code: 'ELICITATION_FAILED' });
    expect(asking.open).toBeNull();
  });

  it('leaves a step to the agent after eight questions in one call', async () => {
    const asking = await direct(protocolOf(new Array<StepKind>(10).fill('sampling'), 'Ten models'));
    let result: object = await asking.call();
    for (let count = 0; count < 8; count += 1) {
      expect(result).toMatchObject({ resultType: 'input_required' });
      result = await asking.answer(PARTS);
    }
    expect(result).toMatchObject({ current_step: { position: '9/10' }, challenge: { type: 'sampling' } });
    // The next call goes on.
    expect(await asking.call({ uri: (result as RunFields).current_step!.uri })).toMatchObject({
      resultType: 'input_required',
    });
  });

  it('reports the proof that the call itself stored, though the question after it failed', async () => {
    const asking = await direct(protocolOf(['comment', 'sampling'], 'Tell and ask'));
    const { nonce, proof_hash } = asking.walk.begun.challenge!;
    const solution = {
      type: 'comment',
      nonce,
      proof_hash,
      comment: { text: 'Two parts, and the first was easy.' },
    };
    await asking.call({ proof_of_work: solution });
    const stored = (asking.open as StepQuestion).proofHash;
    expect(stored).toMatch(/^[0-9a-f]{64}$/);
    expect(await asking.answer(says('three'))).toMatchObject({
      error_code: 'SAMPLING_INVALID_OUTPUT',
      proof_hash: stored,
      message: expect.stringContaining('Deprecated: proof_of_work is now solution.'),
    });
  });

  it('does not ask about a step whose own solution was wrong', async () => {
    const asking = await direct(askModel);
    const { nonce, proof_hash } = asking.walk.begun.challenge!;
    const solution = { type: 'sampling', nonce, proof_hash, sampling: { result: { parts: 'three' } } };
    expect(await asking.call({ solution })).toMatchObject({ error_code: 'SAMPLING_INVALID_OUTPUT' });
    expect(asking.open).toBeNull();
  });
});

describe('a gated step that asks the user', () => {
  it('is asked about under its permit, and only for the holder of that permit', async () => {
    const user = { type: 'user_input', shell: undefined, user_input: { prompt: 'Was it written?' } };
    const gated = await walkToGuard({ proof: user });
    expect(await gated.propose(gated.shown.challenge!.proposal_draft)).toMatchObject({ decision: 'ALLOW' });
    const { nonce, proof_hash } = (await gated.consume()).challenge!;
    const asking = directWalk(gated.ctx, gated);
    const uri = gated.uris[1]!;
    expect(await asking.call({ uri, ...placeholder })).toMatchObject({ error_code: 'PROPOSAL_REQUIRED' });
    const held = { type: 'user_input', nonce, proof_hash };
    expect(await asking.call({ uri, solution: held })).toMatchObject({ resultType: 'input_required' });
    expect(await asking.answer(accept)).toMatchObject({ protocol_status: 'completed' });
  });

  it('uses its permit up with a refusal', async () => {
    const user = { type: 'user_input', shell: undefined, user_input: { prompt: 'Was it written?' } };
    const gated = await walkToGuard({ proof: user });
    await gated.propose(gated.shown.challenge!.proposal_draft);
    const { nonce, proof_hash } = (await gated.consume()).challenge!;
    const asking = directWalk(gated.ctx, gated);
    await asking.call({ uri: gated.uris[1]!, solution: { type: 'user_input', nonce, proof_hash } });
    expect(await asking.answer({ action: 'decline' })).toMatchObject({
      error_code: 'USER_DECLINED',
      challenge: { type: 'proposal' },
    });
  });
});

describe('a verifier', () => {
  it('hears of answers that the checks let pass, and of no others', async () => {
    const heard: VerifyRequest[] = [];
    const verify: Verify = async (request) => {
      heard.push(request);
      return null;
    };
    const model = await direct(askModel, { verify });
    await model.call();
    expect(await model.answer(says('{"parts": "three"}'))).toMatchObject({
      error_code: 'SAMPLING_INVALID_OUTPUT',
    });
    expect(heard).toEqual([]);
    await model.call();
    expect(await model.answer(PARTS)).toMatchObject({ protocol_status: 'completed' });
    const user = await direct(askUser, { verify });
    await user.call(placeholder);
    await user.answer(accept);
    expect(heard).toEqual([
      {
        kind: 'sampling',
        driver: 'sampling',
        system: 'You count.',
        prompt: 'How many parts are there?',
        outputSchema: expect.objectContaining({ required: ['parts'] }),
        answer: { parts: 3 },
      },
      {
        kind: 'user_input',
        driver: 'elicitation',
        system: null,
        prompt: 'May it go on?',
        outputSchema: null,
        answer: 'approved',
      },
    ]);
  });

  it('may refuse, and its words are recorded and shown nowhere else', async () => {
    const words = 'There are\u001b[31m four \ud800parts.';
    const refusing = await direct(askModel, { verify: async () => ({ refused: words.repeat(100) }) });
    await refusing.call();
    const answer = await refusing.answer(PARTS);
    expect(answer).toMatchObject({
      error_code: 'SAMPLING_FAILED',
      message: 'The verifier of this server has refused the answer, so nothing was proven.',
      challenge: { type: 'sampling' },
    });
    expect(JSON.stringify(answer)).not.toContain('four');
    const [rejected] = await refusing.rejected();
    expect(rejected).toMatchObject({ code: 'SAMPLING_FAILED', counted: false });
    const reason = String(rejected!.reason);
    expect(reason).toContain('four');
    expect(reason).not.toMatch(/\p{Surrogate}/u);
    expect(reason.length).toBeLessThanOrEqual(2000);
    expect(refusing.metrics.text()).toContain('outcome="refused"');
  });

  it('that cannot be asked has refused', async () => {
    const verify = async () => {
      throw new Error('connect ECONNREFUSED');
    };
    const failing = await direct(askUser, { verify });
    await failing.call(placeholder);
    expect(await failing.answer(accept)).toMatchObject({
      error_code: 'ELICITATION_FAILED',
      message: expect.stringContaining(
        'The verifier of this server could not be asked about the answer, so nothing was proven.',
      ),
    });
    expect(await failing.rejected()).toEqual([
      { code: 'ELICITATION_FAILED', counted: false, reason: 'connect ECONNREFUSED' },
    ]);
  });
});
