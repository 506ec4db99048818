import { describe, expect, it } from 'vitest';
import { begin } from '../../src/operations/begin.ts';
import type { LeftCommand, OperationContext } from '../../src/operations/context.ts';
import { next } from '../../src/operations/next.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { as, makeContext, type TestContext } from '../support/context.ts';
import { protocolWith } from '../support/protocols.ts';
import { comment, shellBad, shellOk, startWalk } from '../support/walk.ts';

/** What an answer tells to do depends on what the face at hand can do itself. */
const OBSERVED = { proof_of_work: { type: 'shell', shell: { cmd: 'make check' }, assurance: 'observed' } };
const CLAIMED = { proof_of_work: { type: 'shell', shell: { cmd: 'make check' } } };

/** The face of a server: runs what it does not leave to people, if `leaves` is given. */
async function server(
  leaves?: LeftCommand | null,
  over: Partial<OperationContext> = {},
): Promise<TestContext> {
  const ctx = await makeContext({
    over: { ...over, ...(leaves === undefined ? {} : { leaves: async () => leaves }) },
  });
  const reach = {
    shell: leaves === undefined ? ('claimed' as const) : ('observed' as const),
    mcp: 'claimed' as const,
    user_input: 'client' as const,
    comment: 'claimed' as const,
    sampling: 'client' as const,
  };
  return as(ctx, { interface: 'mcp', session: 'one', maximumAssurance: reach });
}

async function trusted(ctx: TestContext, block: object): Promise<void> {
  const { begun } = await startWalk(ctx, protocolWith(block as never));
  const { chainId, digest } = (await ctx.store.findRun(begun.run_id!))!;
  await ctx.trust.grant({
    digest,
    chainId,
    slug: 'one-demand',
    title: 'One demand',
    trustedAt: '2026-01-15T12:00:00Z',
    by: 'ada',
  } as never);
}

describe.each([
  ['that is to be observed', OBSERVED, 'ASSURANCE_TOO_LOW'],
  ['that may be claimed', CLAIMED, undefined],
])('a trusted command %s, where the server runs commands', (_, block, refused) => {
  it('is asked for by a call without a solution, from the first showing on', async () => {
    const ctx = await server(null);
    await trusted(ctx, block);
    const { begun, uris, runId, solve, show } = await startWalk(ctx, protocolWith(block as never));
    expect(begun.next_action).toBe(
      `call kairos_next with ${uris[1]} and no solution -- this server runs the command itself; run_id ${runId}`,
    );
    expect(begun.challenge?.description).toBe('The server runs it. Do not run it yourself.');
    const again = `retry kairos_next with ${uris[1]} and no solution -- this server runs the command itself; run_id ${runId}`;
    const missing = await show(1);
    expect(missing).toMatchObject({ error_code: 'MISSING_PROOF', next_action: again });
    expect(await solve(1, missing.challenge, shellBad)).toMatchObject({
      error_code: 'COMMAND_FAILED',
      next_action: again,
    });
    const handedIn = await solve(1, (await show(1)).challenge, shellOk);
    expect(handedIn.error_code).toBe(refused);
    if (refused !== undefined) expect(handedIn.next_action).toBe(again);
  });
});

describe('a command that the server leaves to people', () => {
  it('of content that is not trusted: what a human has to type, and the way on', async () => {
    const { begun, uris, runId, solve } = await startWalk(
      await server(null),
      protocolWith(OBSERVED as never),
    );
    const words = `its content is not trusted here. A human has to read and trust it (kairos trust ${uris[0]}).`;
    expect(begun.challenge?.description).toContain(words);
    const answer = await solve(1, begun.challenge, shellOk);
    expect(answer).toMatchObject({
      error_code: 'ASSURANCE_TOO_LOW',
      retry_count: 1,
      next_action: `ask the user to read and trust the protocol by kairos trust ${uris[0]}, then call kairos_next with ${uris[1]} and no solution, or call kairos_attest with ${uris[0]} and outcome failure; run_id ${runId}`,
    });
    expect(answer.message).toContain(words);
  });

  it.each([
    ['danger', 'it could destroy something'],
    ['interactive', 'it needs a terminal'],
    ['place', 'the working directory of the step does not exist'],
  ] as const)('because of %s: claimed where that is enough, else unreachable', async (left, words) => {
    const ctx = await server(left);
    await trusted(ctx, CLAIMED);
    const claimed = await startWalk(ctx, protocolWith(CLAIMED as never));
    expect(claimed.begun.next_action).toContain('and solution matching challenge');
    expect(claimed.begun.challenge?.description).toMatch(/^Run the command .*This server/);
    expect(claimed.begun.challenge?.description).toContain(words);
    expect((await claimed.show(1)).message).toContain(words);

    await trusted(ctx, OBSERVED);
    const { begun, uris, runId, show } = await startWalk(ctx, protocolWith(OBSERVED as never));
    expect(begun.message).toContain('Step 1 asks for assurance observed, which this interface cannot reach.');
    expect(begun.challenge?.description).toContain(`A human can continue it (kairos resume ${runId}).`);
    expect(await show(1)).toMatchObject({
      error_code: 'MISSING_PROOF',
      next_action: `ask the user to continue this run with kairos resume ${runId}, or call kairos_attest with ${uris[0]} and outcome failure; run_id ${runId}`,
    });
  });
});

it("a demand that can't be reached is not asked for three times: the first refusal names who can continue", async () => {
  const ctx = await server();
  const { begun, uris, runId, solve, show } = await startWalk(ctx, protocolWith(OBSERVED as never));
  const ways = `ask the user to continue this run with kairos resume ${runId}, or call kairos_attest with ${uris[0]} and outcome failure; run_id ${runId}`;
  const answer = await solve(1, begun.challenge, shellOk);
  expect(answer).toMatchObject({
    error_code: 'ASSURANCE_TOO_LOW',
    must_obey: true,
    next_action: ways,
    message: `The step asks for a proof of assurance observed or better; this one is claimed. Step 1 asks for assurance observed, which this interface cannot reach. A human can continue it (kairos resume ${runId}).`,
  });
  expect(await show(1)).toMatchObject({ error_code: 'MISSING_PROOF', next_action: ways });
});

describe('an answer of the client, where a claim came', () => {
  it.each([
    [
      'user_input',
      { proof_of_work: { type: 'user_input', user_input: { prompt: 'Go on?' }, assurance: 'client' } },
      { type: 'user_input', user_input: { confirmation: 'Yes, go on.' } },
      'solution {"type": "user_input"} and nothing else in it -- this server asks the user itself',
    ],
  ] as const)('%s: the refusal describes how the server asks', async (_, block, solution, words) => {
    const { begun, uris, runId, solve } = await startWalk(await server(), protocolWith(block as never));
    expect(await solve(1, begun.challenge, solution)).toMatchObject({
      error_code: 'ASSURANCE_TOO_LOW',
      next_action: `retry kairos_next with ${uris[1]} and ${words}; run_id ${runId}`,
    });
  });
});

describe('when a step has failed three times', () => {
  const used = async (begun: RunFields, fail: (at: RunFields) => Promise<RunFields>) => {
    let answer = begun;
    // A first step that needs nothing takes a call of its own.
    for (let calls = 0; calls < 4 && answer.must_obey; calls += 1) answer = await fail(answer);
    expect(answer).toMatchObject({ error_code: 'MAX_RETRIES_EXCEEDED', must_obey: false });
    return answer.next_action;
  };
  const AS_IS = /^Options: \(1\) call kairos_attest with \S+ and outcome failure to abort \(2\) ask the user/;

  it('a read-only server does not offer to fix the step', async () => {
    const ctx = await server();
    const walk = await startWalk(ctx, protocolWith(CLAIMED as never));
    const readOnly = { ...ctx, readOnly: true };
    const fail = (at: RunFields) => walk.solve(1, at.challenge, shellBad, readOnly);
    expect(await used(walk.begun, fail)).toMatch(AS_IS);
    expect((await walk.show(1)).next_action).toContain('(1) call kairos_update');
  });

  it('an agent is never asked to fix a protocol that is part of kairos', async () => {
    const ctx = await server();
    const begun = (await begin(ctx, {
      uri: 'kairos://mem/00000000-0000-0000-0000-000000002002',
    })) as RunFields;
    const fail = ({ challenge, current_step, run_id }: RunFields) =>
      next(ctx, {
        uri: current_step!.uri,
        run_id: run_id!,
        solution: { ...comment('ok'), nonce: challenge?.nonce, proof_hash: challenge?.proof_hash },
      });
    expect(await used(begun, fail)).toMatch(AS_IS);
  });
});

it('attest names what it was given when it finds its message wanting', async () => {
  const { solve, begun, attest } = await startWalk(await server(), protocolWith(CLAIMED as never));
  await solve(1, begun.challenge, shellOk);
  expect(await attest({ message: 'ok' })).toMatchObject({
    error_code: 'COMMENT_TOO_SHORT',
    message: expect.stringContaining('message has 2 characters; at least 10 are needed.'),
  });
});
