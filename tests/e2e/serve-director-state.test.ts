import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { type HttpServer, overHttp, startHttp, structured } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome, passTime } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';

const ADA = 'a-long-token-for-ada-0123';
const BOB = 'a-long-token-for-bob-4567';
let home: CliHome;
let server: HttpServer;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'tokens'), `ada:${ADA}\nbob:${BOB}\n`, { mode: 0o600 });
  writeFileSync(join(home.work, 'ask.md'), protocolOf(['user_input', 'user_input', 'sampling'], 'Ask twice'));
  expect(await kairos(home, ['mint', 'ask.md'], { prepares: true })).toMatchObject({ code: 0 });
  writeFileSync(join(home.work, 'model.md'), protocolOf(['sampling'], 'Only a model'));
  expect(await kairos(home, ['mint', 'model.md'], { prepares: true })).toMatchObject({ code: 0 });
  const args = ['--token-file', 'tokens', '--user-input-server-driver', '--user-input-timeout', '8'];
  server = await startHttp(home, args);
}, 60_000);
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  home.remove();
});

interface Reply {
  result?: {
    resultType?: string;
    requestState?: string;
    inputRequests?: Record<string, { method: string }>;
    structuredContent?: RunFields;
  };
  error?: { code: number; message: string; data?: unknown };
}

interface Sent {
  name?: string;
  arguments: Record<string, unknown>;
  requestState?: unknown;
  inputResponses?: unknown;
}

/** A call as written, in the revision of 2026-07-28. */
async function call(
  { name = 'kairos_next', ...params }: Sent,
  { token = ADA, capabilities = { elicitation: {}, sampling: {} }, url = server.url } = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': capabilities,
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        },
      },
    }),
  });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Reply;
}

/** The time in which a person reads a question. */
const read = () => passTime(1100);

/** A run that stands before its first question, asked and read. */
async function asked(url = server.url) {
  const begun = (await call({ name: 'kairos_begin', arguments: { key: 'ask-twice' } })).result!
    .structuredContent!;
  const args = { uri: begun.current_step!.uri, run_id: begun.run_id!, solution: { type: 'user_input' } };
  const question = (await call({ arguments: args }, { url })).result!;
  await read();
  return { begun, args, question, state: question.requestState! };
}

const yes = { answer: { action: 'accept', content: { confirmation: 'approved' } } };
/** The answer is accepted. */
const NEXT_STEP = {
  result: { structuredContent: { protocol_status: 'continue', current_step: { position: '2/3' } } },
};
const refused = {
  error: {
    code: -32602,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  },
};
async function proofs(runId: string): Promise<number> {
  const { stdout } = await kairos(home, ['runs', 'export', runId], { prepares: true });
  return stdout.split('\n').filter((line) => line.includes('"proof.accepted"')).length;
}

describe('a request state', () => {
  it('carries its question and accepts its answer once', async () => {
    const { args, question, state, begun } = await asked();
    expect(question).toMatchObject({
      resultType: 'input_required',
      inputRequests: { answer: { method: 'elicitation/create', params: { message: 'May the walk go on?' } } },
    });
    const answered = await call({ arguments: args, requestState: state, inputResponses: yes });
    expect(answered).toMatchObject(NEXT_STEP);
    expect(await call({ arguments: args, requestState: state, inputResponses: yes })).toMatchObject(refused);
    expect(await proofs(begun.run_id!)).toBe(1);
  }, 60_000);

  it('shows nothing of the run', async () => {
    const { state, begun } = await asked();
    const shown = state
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join();
    expect(shown).not.toContain(begun.run_id!);
    expect(shown).not.toContain(begun.challenge!.nonce);
  }, 60_000);

  it.each([
    ['forged', (state: string) => `${state.slice(0, -4)}AAAA`],
    ['made up', () => 'eyJmb3JnZWQiOnRydWV9'],
    ['empty', () => ''],
    ['no text', () => 7],
    [
      'of another question, cut in',
      (state: string) => state.replace(/\.[^.]*\./, '.eyJwIjp7ImlkIjoiMSJ9fQ.'),
    ],
  ])(
    'that is %s is refused',
    async (_, change) => {
      const { args, state, begun } = await asked();
      expect(await call({ arguments: args, requestState: change(state), inputResponses: yes })).toMatchObject(
        { error: { code: -32602 } },
      );
      expect(await proofs(begun.run_id!)).toBe(0);
    },
    60_000,
  );

  it('of another run, step, tool, caller or other arguments is refused, and gone', async () => {
    const first = await asked();
    const second = await asked();
    const step2 = { ...first.args, uri: first.begun.next_step!.uri };
    const close = { ...first.args, outcome: 'success', message: 'All of it was asked and answered.' };
    const tries: [Sent, { token?: string }][] = [
      [{ arguments: second.args }, {}],
      [{ arguments: step2 }, {}],
      [{ arguments: { ...first.args, solution: { type: 'user_input', nonce: null } } }, {}],
      [{ name: 'kairos_attest', arguments: close }, {}],
      [{ name: 'kairos_search', arguments: { query: 'ask' } }, {}],
    ];
    for (const [sent, options] of tries) {
      const { args, begun } = first;
      const { requestState } = (await call({ arguments: args })).result!;
      expect(await call({ ...sent, requestState, inputResponses: yes }, options)).toMatchObject(refused);
      expect(await call({ arguments: args, requestState, inputResponses: yes })).toMatchObject(refused);
      expect(await proofs(begun.run_id!)).toBe(0);
    }
    // Somebody else's try takes nothing away from whoever asked.
    const { args, state } = first;
    const foreign = { arguments: args, requestState: state, inputResponses: yes };
    expect(await call(foreign, { token: BOB })).toMatchObject(refused);
    expect(await call(foreign)).toMatchObject(NEXT_STEP);
  }, 60_000);

  it('means nothing to a client of the 2025 revisions', async () => {
    const { args, state, begun } = await asked();
    const old = await overHttp('sdk-1', server.url, ADA);
    const request = {
      method: 'tools/call',
      params: { name: 'kairos_next', arguments: args, requestState: state },
    };
    await expect(
      (old.client as { request: (r: object, s: object) => Promise<unknown> }).request(request, ANYTHING),
    ).rejects.toMatchObject({ code: -32602 });
    await old.close();
    expect(await proofs(begun.run_id!)).toBe(0);
  }, 60_000);

  it('is missing for unrequested answers: they are not read', async () => {
    const { args, begun } = await asked();
    const again = await call({ arguments: args, inputResponses: yes });
    expect(again.result).toMatchObject({ resultType: 'input_required' });
    const plain = await call({ arguments: { uri: args.uri, run_id: args.run_id }, inputResponses: yes });
    expect(plain.result?.structuredContent).toMatchObject({ error_code: 'MISSING_PROOF' });
    expect(await proofs(begun.run_id!)).toBe(0);
  }, 60_000);

  it.each([
    ['no answer', {}],
    ['an answer by another name', { other: yes.answer }],
    ['an answer in an envelope', { answer: { method: 'elicitation/create', result: yes.answer } }],
    ['an answer that is no object', { answer: 'approved' }],
    [
      "a model's answer to a form",
      { answer: { role: 'assistant', content: { type: 'text', text: 'approved' } } },
    ],
  ])(
    'that comes back with %s leads to the other driver, then to an error, and not around again',
    async (_, given) => {
      const { args, state, begun } = await asked();
      const second = (await call({ arguments: args, requestState: state, inputResponses: given })).result!;
      expect(second).toMatchObject({
        resultType: 'input_required',
        inputRequests: { answer: { method: 'sampling/createMessage' } },
      });
      const third = await call({ arguments: args, requestState: second.requestState, inputResponses: given });
      expect(third.result?.structuredContent).toMatchObject({
        error_code: 'SAMPLING_INVALID_OUTPUT',
        challenge: { type: 'user_input' },
      });
      expect(await proofs(begun.run_id!)).toBe(0);
    },
    60_000,
  );

  it('that comes back late is reported as late', async () => {
    const { args, state, begun } = await asked();
    await passTime(8200);
    const late = await call({ arguments: args, requestState: state, inputResponses: yes });
    expect(late.result?.structuredContent).toMatchObject({
      error_code: 'ELICITATION_FAILED',
      message: expect.stringContaining('did not answer in time'),
    });
    expect(await proofs(begun.run_id!)).toBe(0);
  }, 60_000);

  it('that comes back after another process has proven the step is in CONFLICT', async () => {
    const { args, state, begun } = await asked();
    const other = await call({ arguments: args });
    await read();
    await call({ arguments: args, requestState: other.result!.requestState, inputResponses: yes });
    const late = await call({ arguments: args, requestState: state, inputResponses: yes });
    expect(late.result?.structuredContent).toMatchObject({ error_code: 'CONFLICT' });
    expect(await proofs(begun.run_id!)).toBe(1);
  }, 60_000);

  it('is returned only to a client that declared elicitation', async () => {
    const { args } = await asked();
    const shown = await call({ arguments: args }, { capabilities: {} as never });
    expect(shown.result?.structuredContent).toMatchObject({ challenge: { type: 'user_input' } });
  }, 60_000);
});

describe('a second server of the same user on the same store', () => {
  it('accepts the answer to a question of the first, once', async () => {
    const other = await startHttp(home, ['--token-file', 'tokens', '--user-input-timeout', '8']);
    const { args, state, begun } = await asked();
    const sent = { arguments: args, requestState: state, inputResponses: yes };
    const answered = await call(sent, { url: other.url });
    expect(answered).toMatchObject(NEXT_STEP);
    expect(await call(sent, { url: other.url })).toMatchObject(refused);
    // The first server learns from the ledger that it was answered.
    expect((await call(sent)).result?.structuredContent).toMatchObject({ error_code: 'CONFLICT' });
    expect(await proofs(begun.run_id!)).toBe(1);
    expect(await other.stop()).toBe(0);
  }, 60_000);

  it('accepts it after the first has ended', async () => {
    const first = await startHttp(home, ['--token-file', 'tokens', '--user-input-timeout', '8']);
    const { args, state, begun } = await asked(first.url);
    expect(await first.stop()).toBe(0);
    const answered = await call({ arguments: args, requestState: state, inputResponses: yes });
    expect(answered).toMatchObject(NEXT_STEP);
    expect(await proofs(begun.run_id!)).toBe(1);
  }, 60_000);
});

describe('a client that declares sampling and cannot run its model', () => {
  it('is asked twice, then its agent gets the challenge', async () => {
    let asks = 0;
    const client = await overHttp('sdk-2', server.url, ADA, {
      sample: () => {
        asks += 1;
        throw new Error('no model');
      },
    });
    const begun = structured<RunFields>(await client.call('kairos_begin', { key: 'only-a-model' }));
    const args = { uri: begun.current_step!.uri, run_id: begun.run_id! };
    await expect(client.call('kairos_next', args)).rejects.toThrow();
    await expect(client.call('kairos_next', args)).rejects.toThrow();
    const left = structured<RunFields>(await client.call('kairos_next', args));
    expect(left).toMatchObject({ error_code: 'SAMPLING_FAILED', challenge: { type: 'sampling' } });
    expect(asks).toBe(2);
    const { nonce, proof_hash } = left.challenge!;
    const solution = { type: 'sampling', nonce, proof_hash, sampling: { result: { parts: 3 } } };
    expect(structured<RunFields>(await client.call('kairos_next', { ...args, solution }))).toMatchObject({
      protocol_status: 'completed',
    });
    await client.close();
  }, 60_000);
});

describe('a call whose own solution led to a question', () => {
  it('does not hand that solution in again with the answer', async () => {
    const client = await overHttp('sdk-2', server.url, ADA, {
      elicit: () => ({ action: 'accept', content: { confirmation: 'approved' } }),
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '{"parts": 3}' } }),
    });
    const begun = structured<RunFields>(await client.call('kairos_begin', { key: 'ask-twice' }));
    const run_id = begun.run_id!;
    const placeholder = { type: 'user_input' };
    const second = structured<RunFields>(
      await client.call('kairos_next', { uri: begun.current_step!.uri, run_id, solution: placeholder }),
    );
    const { nonce, proof_hash } = second.challenge!;
    const solution = { ...placeholder, nonce, proof_hash, user_input: { confirmation: 'yes, by hand' } };
    const done = structured<RunFields>(
      await client.call('kairos_next', { uri: second.current_step!.uri, run_id, solution }),
    );
    expect(done).toMatchObject({ protocol_status: 'completed' });
    await client.close();
    expect(await proofs(run_id)).toBe(3);
  }, 60_000);
});

/** A schema of the older SDK's kind that takes whatever comes. */
const ANYTHING = {
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
};
