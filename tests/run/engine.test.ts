import { beforeEach, describe, expect, it } from 'vitest';
import { attest } from '../../src/operations/attest.ts';
import { next, record } from '../../src/operations/next.ts';
import { as, makeContext, type TestContext } from '../support/context.ts';
import { protocolOf, protocolWith } from '../support/protocols.ts';
import { comment, shellBad, shellOk, startWalk } from '../support/walk.ts';

let ctx: TestContext;
beforeEach(async () => {
  ctx = await makeContext();
});

const SHELL = { proof_of_work: { type: 'shell', shell: { cmd: 'make check' } } };

describe('the checks of a solution', () => {
  it('answers nonce before proof_hash before type before payload', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const { challenge } = walk.begun;
    const tries = [
      [{ nonce: 'f'.repeat(32), proof_hash: 'x', type: 'comment' }, 'NONCE_MISMATCH'],
      [{ proof_hash: 'x', type: 'comment' }, 'PROOF_HASH_MISMATCH'],
      [comment('A long enough account of nothing.'), 'TYPE_MISMATCH'],
    ] as const;
    let current = challenge;
    const codes: unknown[] = [];
    for (const [payload] of tries) {
      const answer = await walk.solve(1, current, payload);
      codes.push([answer.error_code, answer.cause_code, answer.must_obey, answer.retry_count]);
      current = answer.challenge;
    }
    expect(codes).toEqual([
      ['NONCE_MISMATCH', undefined, true, 1],
      ['PROOF_HASH_MISMATCH', undefined, true, 2],
      ['MAX_RETRIES_EXCEEDED', 'TYPE_MISMATCH', false, 3],
    ]);
  });

  it('lets go after the third failure, still accepts a valid solution and never an invalid one', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    let { challenge } = walk.begun;
    for (let failure = 1; failure <= 4; failure += 1) {
      const answer = await walk.solve(2, challenge, shellBad);
      expect(answer).toMatchObject({
        must_obey: failure < 3,
        error_code: failure < 3 ? 'COMMAND_FAILED' : 'MAX_RETRIES_EXCEEDED',
        retry_count: failure,
        protocol_status: 'blocked',
      });
      expect(answer.cause_code).toBe(failure < 3 ? undefined : 'COMMAND_FAILED');
      expect(answer.next_action).toBe(
        failure < 3
          ? `retry kairos_next with ${walk.uris[1]} -- use nonce and proof_hash from THIS response's challenge; run_id ${walk.runId}`
          : `Options: (1) call kairos_update with ${walk.uris[0]} to fix the step for future executions (2) call kairos_attest with ${walk.uris[0]} and outcome failure to abort (3) ask the user for help; run_id ${walk.runId}`,
      );
      challenge = answer.challenge;
    }
    const answer = await walk.solve(2, challenge, shellOk);
    expect(answer).toMatchObject({ must_obey: true, protocol_status: 'completed' });
    expect(answer.error_code).toBeUndefined();
  });

  it('spends a nonce with one attempt, and returns the same answer to the same attempt without counting', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'comment', 'none']));
    const failed = await walk.solve(2, walk.begun.challenge, shellBad);
    expect(failed.retry_count).toBe(1);
    const again = await walk.solve(2, walk.begun.challenge, shellBad);
    expect(again).toMatchObject({ protocol_status: 'continue', retry_count: 1 });
    const other = await walk.solve(2, walk.begun.challenge, shellOk);
    expect(other).toMatchObject({ error_code: 'NONCE_MISMATCH', retry_count: 2 });
    const solved = await walk.solve(2, other.challenge, shellOk);
    const lost = await walk.solve(2, other.challenge, shellOk);
    expect(lost.current_step).toEqual(solved.current_step);
    expect(lost.error_code).toBeUndefined();
    expect((await walk.kinds()).filter((kind) => kind === 'proof.accepted')).toHaveLength(1);
  });

  it('keeps every nonce shown for the pending step good, the newest 16, for 24 hours', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const challenges = [walk.begun.challenge];
    for (let shown = 1; shown < 17; shown += 1) challenges.push((await walk.show(1)).challenge);
    expect(await walk.solve(1, challenges[0], shellOk)).toMatchObject({ error_code: 'NONCE_MISMATCH' });
    ctx.clock.advance(24 * 3600 * 1000);
    expect(await walk.solve(1, challenges[16], shellOk)).toMatchObject({
      error_code: 'NONCE_MISMATCH',
      retry_count: 2,
    });
    const fresh = (await walk.show(1)).challenge;
    ctx.clock.advance(24 * 3600 * 1000 - 1);
    expect((await walk.solve(1, fresh, shellOk)).error_code).toBeUndefined();
  });

  it('keeps the nonces that a command was started with, however often others ask', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const data = { step: 1, attempt: 'a', cmd: 'true', cwd: '/', env: [], timeout_seconds: 60 };
    await record(ctx, walk.runId, 'command.started', data);
    for (let shown = 0; shown < 20; shown += 1) await walk.show(1);
    expect((await walk.solve(1, walk.begun.challenge, shellOk)).error_code).toBeUndefined();
  });

  it('does not count calls without a solution, out of order or with the placeholder', async () => {
    const walk = await startWalk(ctx, protocolOf(['user_input', 'comment', 'comment', 'none']));
    const bare = await walk.show(1);
    expect(bare).toMatchObject({ error_code: 'MISSING_PROOF', retry_count: 0, protocol_status: 'blocked' });
    expect(await walk.show(4)).toMatchObject({ error_code: 'OUT_OF_ORDER', retry_count: 0 });
    const placeholder = await next(ctx, {
      uri: walk.uris[0]!,
      run_id: walk.runId,
      solution: { type: 'user_input' },
    });
    expect(placeholder).toMatchObject({ protocol_status: 'continue' });
    expect(placeholder.error_code).toBeUndefined();
    expect(placeholder.challenge).toMatchObject({ type: 'user_input' });
  });
});

describe('required: false', () => {
  const optional = (type: string, definition: unknown) => ({
    proof_of_work: { type, [type]: definition, required: false },
  });

  it('records a payload failure and continues', async () => {
    const walk = await startWalk(ctx, protocolWith(optional('shell', { cmd: 'make extras' })));
    const answer = await walk.solve(1, walk.begun.challenge, shellBad);
    expect(answer).toMatchObject({ protocol_status: 'completed' });
    expect(answer.error_code).toBeUndefined();
    expect(answer.challenge?.proof_hash).toBe(walk.begun.challenge?.proof_hash);
    expect(await walk.attest()).toMatchObject({ protocol_status: 'completed', assurance: { claimed: 1 } });
  });

  it('never lets another kind of failure pass', async () => {
    const walk = await startWalk(ctx, protocolWith(optional('shell', { cmd: 'make extras' })));
    expect(await walk.solve(1, { ...walk.begun.challenge!, nonce: 'bad' }, shellOk)).toMatchObject({
      error_code: 'NONCE_MISMATCH',
    });
    const shown = await walk.show(1);
    expect(await walk.solve(1, shown.challenge, comment('An account instead of a command.'))).toMatchObject({
      error_code: 'TYPE_MISMATCH',
    });
  });
});

describe('a refusal by the user', () => {
  const ask = { proof_of_work: { type: 'user_input', user_input: { prompt: 'Go on?' } } };
  const says = (confirmation: string) => ({ type: 'user_input', user_input: { confirmation } });

  it('is sticky: only an answer of the declining assurance or better lifts it', async () => {
    const walk = await startWalk(ctx, protocolWith(ask));
    const submit = (
      challenge: typeof walk.begun.challenge,
      answer: string,
      assurance: 'claimed' | 'client',
    ) =>
      next(
        ctx,
        {
          uri: walk.uris[0]!,
          run_id: walk.runId,
          solution: { ...says(answer), nonce: challenge?.nonce, proof_hash: challenge?.proof_hash },
        },
        { assurance },
      );
    const declined = await submit(walk.begun.challenge, 'rejected', 'client');
    expect(declined).toMatchObject({
      error_code: 'USER_DECLINED',
      retry_count: 0,
      must_obey: true,
      next_action: `ask the user; only a new answer from them lifts this, or call kairos_attest with ${walk.uris[0]} and outcome failure; run_id ${walk.runId}`,
    });
    const claimed = await submit(declined.challenge, 'yes, they said so', 'claimed');
    expect(claimed).toMatchObject({ error_code: 'USER_DECLINED', retry_count: 0 });
    const lifted = await submit(claimed.challenge, 'yes', 'client');
    expect(lifted.error_code).toBeUndefined();
  });
});

describe('assurance', () => {
  it("refuses what is worth less than the step demands, and begin reports that it can't be reached", async () => {
    const ctx2 = as(ctx, { maximumAssurance: { ...ctx.caller.maximumAssurance, shell: 'claimed' } });
    const block = { proof_of_work: { type: 'shell', shell: { cmd: 'make check' }, assurance: 'observed' } };
    const walk = await startWalk(ctx2, protocolWith(block));
    expect(walk.begun.message).toContain(
      'Step 1 asks for assurance observed, which this interface cannot reach.',
    );
    expect(walk.begun.challenge).toMatchObject({ assurance: 'observed' });
    expect(await walk.solve(1, walk.begun.challenge, shellOk)).toMatchObject({
      error_code: 'ASSURANCE_TOO_LOW',
    });
    const { challenge } = await walk.show(1);
    const solution = { ...shellOk, nonce: challenge?.nonce, proof_hash: challenge?.proof_hash };
    const observed = await next(
      ctx2,
      { uri: walk.uris[0]!, run_id: walk.runId, solution },
      { assurance: 'observed' },
    );
    expect(observed.error_code).toBeUndefined();
    expect(await walk.attest()).toMatchObject({
      assurance: { observed: 1, claimed: 1, client: 0, attested: 0 },
    });
  });
});

describe('attest', () => {
  it('with the URI of another protocol shows the pending challenge, which the next call needs', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const other = await startWalk(ctx, protocolOf(['comment', 'none']));
    const answer = await walk.attest({ uri: other.uris[0]! });
    expect(answer).toMatchObject({
      error_code: 'OUT_OF_ORDER',
      next_action: expect.stringMatching(
        /^retry kairos_next with kairos:.* use nonce and proof_hash from THIS/,
      ),
      challenge: { type: 'shell', nonce: expect.any(String) },
    });
    expect((await walk.solve(1, answer.challenge, shellOk)).error_code).toBeUndefined();
  });

  it('names the pending step, and seals nothing, while a demand is open', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'comment', 'none']));
    expect(await walk.attest()).toMatchObject({
      error_code: 'MISSING_PROOF',
      message: 'Step 1 of 3 is not proven yet.',
      next_action: `call kairos_next with ${walk.uris[1]} and solution matching challenge; run_id ${walk.runId}`,
      challenge: { type: 'shell' },
    });
    expect(await ctx.store.readSeal(walk.runId)).toBeNull();
  });

  it('always seals a failure', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    expect(await walk.attest({ outcome: 'failure', message: '' })).toMatchObject({
      must_obey: false,
      next_action: null,
      protocol_status: 'completed',
      results: [{ uri: walk.uris[0], outcome: 'failure', quality_bonus: 0, message: '' }],
      total_rated: 1,
      total_failed: 0,
    });
    expect(await ctx.store.readSeal(walk.runId)).not.toBeNull();
  });

  it('uses the message as closing comment only if it is one', async () => {
    const walk = await startWalk(ctx, protocolOf(['none']));
    const answer = await walk.attest({ message: 'ok' });
    expect(answer).toMatchObject({ error_code: 'COMMENT_TOO_SHORT', retry_count: 1 });
    expect(answer.next_action).toMatch(
      new RegExp(
        `^retry kairos_attest with ${walk.uris[0]}, outcome and message -- .+; run_id ${walk.runId}$`,
      ),
    );
    expect(await walk.attest()).toMatchObject({ next_action: null });
  });

  it('accepts a solution for the still pending last step, and the message as closing comment', async () => {
    const walk = await startWalk(ctx, protocolOf(['none', 'shell']));
    const { challenge } = await walk.show(2);
    const answer = await walk.attest({
      solution: { ...shellOk, nonce: challenge?.nonce, proof_hash: challenge?.proof_hash },
    });
    expect(answer).toMatchObject({ next_action: null, total_rated: 1, assurance: { claimed: 2 } });
  });

  it('makes the closing comment checkable in full when it comes as solution', async () => {
    const walk = await startWalk(ctx, protocolOf(['none']));
    const wrong = await walk.attest({
      solution: { ...comment('A genuine closing comment.'), nonce: 'x', proof_hash: 'y' },
    });
    expect(wrong).toMatchObject({ error_code: 'NONCE_MISMATCH' });
    const { challenge } = wrong;
    expect(
      await walk.attest({
        message: 'ok',
        solution: {
          ...comment('A genuine closing comment.'),
          nonce: challenge?.nonce,
          proof_hash: challenge?.proof_hash,
        },
      }),
    ).toMatchObject({ next_action: null, results: [{ message: 'ok' }] });
  });

  it('uses the message only as a summary once the closing comment came through kairos_next', async () => {
    const walk = await startWalk(ctx, protocolOf(['none']));
    const answer = await walk.solve(1, walk.begun.challenge, comment('All was looked at and is well.'));
    expect(answer).toMatchObject({
      challenge: null,
      protocol_status: 'completed',
      next_action: `call kairos_attest with ${walk.uris[0]} and outcome (success or failure) and message to complete the protocol; run_id ${walk.runId}`,
    });
    expect(await walk.attest({ message: 'ok' })).toMatchObject({
      next_action: null,
      results: [{ message: 'ok' }],
    });
  });

  it('answers RUN_CLOSED with the first result afterwards, for any call', async () => {
    const walk = await startWalk(ctx, protocolOf(['none', 'none']));
    await walk.show(2);
    const sealed = await walk.attest({ quality_bonus: 7 });
    expect(sealed).toMatchObject({
      results: [{ quality_bonus: 1 }],
      message: expect.stringContaining('Self-reported'),
    });
    const again = await walk.attest({ outcome: 'failure', message: 'Changed my mind about it.' });
    expect(again).toMatchObject({
      error_code: 'RUN_CLOSED',
      next_action: null,
      results: sealed.results,
      ledger_head: sealed.ledger_head,
      total_rated: 0,
    });
    expect(await walk.show(2)).toMatchObject({
      error_code: 'RUN_CLOSED',
      next_action: null,
      challenge: null,
    });
  });
});

describe('which run is meant', () => {
  it('is found by run_id, by nonce, by session or as the only open one, and never guessed', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const stranger = as(ctx, { actor: 'mallory' });
    const bare = { uri: walk.uris[0]! };
    expect(await next(stranger, bare)).toEqual({
      must_obey: true,
      next_action: `call kairos_begin with ${walk.uris[0]}`,
      protocol_status: 'blocked',
      message: 'No run of yours is known for this URI. Begin one.',
      error_code: 'RUN_NOT_FOUND',
    });
    expect(
      await attest(stranger, { ...bare, outcome: 'failure', message: 'Nothing to see here at all.' }),
    ).toMatchObject({ error_code: 'RUN_NOT_FOUND' });
    expect(await next(ctx, bare)).toMatchObject({ error_code: 'MISSING_PROOF', run_id: walk.runId });
    const other = await startWalk(ctx, protocolOf(['shell', 'none']));
    expect(await next(ctx, bare)).toEqual({
      must_obey: true,
      next_action: `retry kairos_next with ${walk.uris[0]} and run_id <one of candidates>`,
      protocol_status: 'blocked',
      message: 'The call fits several runs. Name one of the candidates as run_id.',
      error_code: 'AMBIGUOUS_RUN',
      candidates: expect.arrayContaining([walk.runId, other.runId]),
    });
    const { nonce, proof_hash } = walk.begun.challenge!;
    expect((await next(ctx, { ...bare, solution: { ...shellOk, nonce, proof_hash } })).run_id).toBe(
      walk.runId,
    );
  });

  it("uses this session's latest run of the chain, sealed ones included", async () => {
    const mine = as(ctx, { session: 'a' });
    const first = await startWalk(mine, protocolOf(['shell', 'none']));
    const second = await startWalk(mine, protocolOf(['shell', 'none']));
    expect((await next(mine, { uri: first.uris[0]! })).run_id).toBe(second.runId);
    await second.attest({ outcome: 'failure' });
    expect(await next(mine, { uri: first.uris[0]! })).toMatchObject({
      error_code: 'RUN_CLOSED',
      run_id: second.runId,
    });
  });

  it('keeps spaces apart', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'none']));
    const elsewhere = as(ctx, { space: 'other' });
    expect(await next(elsewhere, { uri: walk.uris[0]!, run_id: walk.runId })).toMatchObject({
      error_code: 'RUN_NOT_FOUND',
    });
  });

  it('never accepts an unknown URI for an end', async () => {
    const unknown = 'kairos://mem/00000000-0000-4000-8000-000000000000';
    await expect(next(ctx, { uri: unknown })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(next(ctx, { uri: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('two writers on one run', () => {
  it('answers CONFLICT, uncounted, to the one whose step was proven meanwhile', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'shell', 'none']));
    const other = await walk.show(1);
    await walk.solve(1, walk.begun.challenge, shellOk);
    const late = await walk.solve(1, other.challenge, shellBad);
    expect(late).toMatchObject({
      error_code: 'CONFLICT',
      retry_count: 0,
      current_step: { uri: walk.uris[1] },
      next_action: `call kairos_next with ${walk.uris[2]} and solution matching challenge; run_id ${walk.runId}`,
    });
    expect((await walk.solve(2, late.challenge, shellOk)).error_code).toBeUndefined();
  });

  it('answers it, too, to a caller with the same nonce and another answer; the very same answer causes no conflict', async () => {
    const walk = await startWalk(ctx, protocolOf(['shell', 'shell', 'none']));
    const { challenge } = walk.begun;
    await walk.solve(1, challenge, shellOk);
    const late = await walk.solve(1, challenge, shellBad);
    expect(late).toMatchObject({
      error_code: 'CONFLICT',
      message: expect.stringContaining('used for another answer'),
      retry_count: 0,
      current_step: { uri: walk.uris[1] },
      next_action: `call kairos_next with ${walk.uris[2]} and solution matching challenge; run_id ${walk.runId}`,
    });
    expect((await walk.solve(1, challenge, shellOk)).error_code).toBeUndefined();
    // With the hash of the pending step it is a try at that one, with a nonce that is none of its own.
    const { proof_hash } = late.challenge!;
    expect(await walk.solve(2, { ...challenge!, proof_hash }, shellOk)).toMatchObject({
      error_code: 'NONCE_MISMATCH',
      retry_count: 1,
    });
    expect((await walk.solve(2, late.challenge, shellOk)).error_code).toBeUndefined();
  });
});

describe('a step that asks a model', () => {
  const ASKED = {
    system: 'Be brief.',
    prompt: 'Name a city.',
    output_schema: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
  };
  const model = (result: unknown) => ({ type: 'sampling', sampling: { result } });

  it('shows the prompt, refuses what does not fit with every place, and keeps what does as one text', async () => {
    const walk = await startWalk(ctx, protocolWith({ sampling: ASKED }));
    expect(walk.begun.challenge).toEqual({
      type: 'sampling',
      description: expect.stringContaining('Answer the prompt'),
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
      proof_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      sampling: { ...ASKED, temperature: 0.2, top_p: 0.9, max_tokens: 1024 },
    });
    const refused = await walk.solve(1, walk.begun.challenge, model({ city: 7, more: 1 }));
    expect(refused).toMatchObject({
      error_code: 'SAMPLING_INVALID_OUTPUT',
      protocol_status: 'blocked',
      retry_count: 1,
      violations: [{ pointer: '/city', keyword: 'type' }],
      current_step: { uri: walk.uris[0] },
    });
    const other = await walk.solve(1, refused.challenge, comment('Named a city as it was asked for.'));
    expect(other).toMatchObject({ error_code: 'TYPE_MISMATCH', retry_count: 2 });
    const done = await walk.solve(2, other.challenge, model('{"more": 1, "city": "Riga"}'));
    expect(done).toMatchObject({ protocol_status: 'completed' });
    expect(done).not.toHaveProperty('violations');
    const entries = await ctx.store.readEntries(walk.runId);
    expect(entries.filter(({ kind }) => kind === 'proof.accepted').map(({ data }) => data)).toMatchObject([
      { type: 'sampling', assurance: 'claimed', sampling: { result_json: '{"city":"Riga","more":1}' } },
    ]);
  });

  it('asks it first and for the proof of work then, and is proven by both', async () => {
    const walk = await startWalk(ctx, protocolWith({ ...SHELL, sampling: ASKED }));
    expect(walk.begun.challenge).toMatchObject({ type: 'sampling' });
    const early = await walk.solve(1, walk.begun.challenge, shellOk);
    expect(early).toMatchObject({ error_code: 'TYPE_MISMATCH' });
    const answered = await walk.solve(1, early.challenge, model({ city: 'Riga' }));
    expect(answered).toMatchObject({
      challenge: { type: 'shell' },
      current_step: { uri: walk.uris[0] },
      next_action: `call kairos_next with ${walk.uris[1]} and solution matching challenge; run_id ${walk.runId}`,
    });
    expect(await walk.attest()).toMatchObject({ error_code: 'MISSING_PROOF' });
    const { challenge } = await walk.show(1);
    const proven = await walk.solve(1, challenge, shellOk);
    expect(proven).toMatchObject({ protocol_status: 'completed' });
    expect(await walk.attest()).toMatchObject({ next_action: null, assurance: { claimed: 3 } });
  });

  it('is required even where its proof of work is not', async () => {
    const optional = { proof_of_work: { ...SHELL.proof_of_work, required: false } };
    const walk = await startWalk(ctx, protocolWith({ ...optional, sampling: ASKED }));
    const wrong = await walk.solve(1, walk.begun.challenge, model('Riga'));
    expect(wrong).toMatchObject({ error_code: 'SAMPLING_INVALID_OUTPUT', challenge: { type: 'sampling' } });
    const answered = await walk.solve(1, wrong.challenge, model({ city: 'Riga' }));
    expect(await walk.solve(1, answered.challenge, shellBad)).toMatchObject({ protocol_status: 'completed' });
  });
});
