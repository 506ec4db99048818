import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MintOutput } from '../../src/operations/mint.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { overStdio, structured, type TestClient, toolsOf } from '../mcp/support.ts';
import { type CliHome, makeHome } from '../support/cli.ts';
import { protocolOf } from '../support/protocols.ts';
import { rightAnswer, walkLiterally } from '../support/walker.ts';

/** Errors that models make, once at each step, by an agent that follows next_action to the letter afterwards. */
type Call = { uri: string; solution: Record<string, unknown>; run_id?: string };
type Slip = (call: Call, previous: Call | null) => Record<string, unknown>;

const payloadOf = ({ type, ...rest }: Record<string, unknown>) =>
  rest[type as string] as Record<string, unknown>;
const common = ({ type, nonce, proof_hash }: Record<string, unknown>) => ({ type, nonce, proof_hash });

/** Every field that tools/list names, as a client fills it that has to fill all. */
const FILLED = {
  shell: { exit_code: 0, stdout: '', stderr: '' },
  mcp: { tool_name: '', arguments: '', result: '', success: false },
  user_input: { confirmation: '' },
  comment: { text: '' },
  sampling: { result: '' },
};

/** Slips that are accepted, and those that are answered with an error and the call that works. */
const ACCEPTED: Record<string, Slip> = {
  'a flat answer': ({ solution, ...call }) => ({
    ...call,
    solution: { ...common(solution), ...payloadOf(solution) },
  }),
  'JSON text': ({ solution, ...call }) => ({ ...call, solution: JSON.stringify(solution) }),
  'JSON text inside': ({ solution, ...call }) => ({
    ...call,
    solution: { ...common(solution), [String(solution.type)]: JSON.stringify(payloadOf(solution)) },
  }),
  'all names of a solution': (call) => ({
    ...call,
    proof_of_work: call.solution,
    proof_of_work_result: call.solution,
  }),
  'empty names beside an old one': ({ solution, ...call }) => ({
    ...call,
    solution: {},
    proof_of_work: '',
    proof_of_work_result: solution,
  }),
  'null everywhere': (call) => ({
    ...call,
    solution: { shell: null, mcp: null, user_input: null, comment: null, sampling: null, ...call.solution },
    proof_of_work: null,
    proof_of_work_result: null,
  }),
  'every field filled': (call) => ({
    ...call,
    solution: { ...FILLED, ...call.solution },
    proof_of_work: '',
    proof_of_work_result: '',
  }),
  'its parts next to uri': ({ solution, ...call }) => ({ ...call, ...solution }),
  'names in another spelling': ({ run_id, ...call }) => ({
    URI: call.uri,
    runId: run_id,
    Solution: call.solution,
  }),
  'another name for the solution': ({ solution, ...call }) => ({ ...call, Solutions: solution }),
  'a list of one': ({ solution, ...call }) => ({ ...call, solution: [solution] }),
  'numbers and switches as text': ({ solution, ...call }) => {
    const payload = Object.entries(payloadOf(solution)).map(([key, value]) => [
      key,
      ['number', 'boolean'].includes(typeof value)
        ? ` ${value}`.slice(typeof value === 'number' ? 0 : 1)
        : value,
    ]);
    return { ...call, solution: { ...solution, [String(solution.type)]: Object.fromEntries(payload) } };
  },
  'a type in another spelling': ({ solution, ...call }) => {
    const { type, ...rest } = solution;
    return { ...call, solution: { ...rest, type: String(type).toUpperCase().replace('_', '-') } };
  },
  'hex digits in capitals, with blanks': ({ solution, ...call }) => {
    const { nonce, proof_hash: hash } = solution;
    return {
      ...call,
      solution: {
        ...solution,
        nonce: ` ${String(nonce).toUpperCase()}\n`,
        proof_hash: `${String(hash).toUpperCase()} `,
      },
    };
  },
  'a URI and an id with words around them': (call) => ({
    ...call,
    uri: `"${call.uri}" and solution matching challenge`,
    run_id: `run_id ${call.run_id}.`,
  }),
  'a bare id for the URI': (call) => ({ ...call, uri: call.uri.slice('kairos://mem/'.length) }),
  'an unknown field': (call) => ({ ...call, solution: { ...call.solution, confidence: 0.9 } }),
};
const ANSWERED: Record<string, Slip> = {
  'a wrong key': ({ solution, ...call }) => ({
    ...call,
    solution: { ...common(solution), [String(solution.type)]: { value: 'Everything went well.' } },
  }),
  'a wrong type': (call) => ({ ...call, solution: { ...call.solution, type: 'text' } }),
  'no nonce': ({ solution: { nonce: _, ...solution }, ...call }) => ({ ...call, solution }),
  'no proof_hash': ({ solution: { proof_hash: _, ...solution }, ...call }) => ({ ...call, solution }),
  'an invented nonce': (call) => ({ ...call, solution: { ...call.solution, nonce: '1234' } }),
  'no solution': ({ solution: _, ...call }) => ({ ...call, solution: null }),
  'the solution of the step before': ({ solution, ...call }, previous) => ({
    ...call,
    solution: previous === null ? { ...solution, nonce: '' } : { ...previous.solution, extra: 1 },
  }),
  'an invented URI': (call) => ({ ...call, uri: 'kairos://mem/00000000-1111-4111-8111-000000000007' }),
  'a URI that is none': (call) => ({ ...call, uri: 'step 2' }),
  'an empty URI': (call) => ({ ...call, uri: '' }),
  'nothing at all': () => ({}),
  'only a URI that is none': () => ({ uri: 'the next step' }),
  'no URI': ({ uri: _, ...call }) => call,
  'null for the URI': (call) => ({ ...call, uri: null }),
  'a type of look-alikes': (call) => ({ ...call, solution: { ...call.solution, type: 'ѕһеll' } }),
  'a text for the solution': (call) => ({ ...call, solution: 'I did it, and it went well.' }),
  'a number for the solution': (call) => ({ ...call, solution: 5 }),
  'the challenge instead of a solution': ({ solution: { type, nonce, proof_hash }, ...call }) => ({
    ...call,
    solution: { type, nonce, proof_hash, description: 'Do it.', [String(type)]: { prompt: 'Do it.' } },
  }),
  'genesis for the proof_hash': (call) => ({
    ...call,
    solution: { ...call.solution, proof_hash: 'genesis' },
  }),
};

describe('a literal agent with slips', () => {
  let home: CliHome;
  let client: TestClient;
  let uri: string;
  beforeAll(async () => {
    home = makeHome();
    client = await overStdio('sdk-1', home);
    const markdown_doc = protocolOf(['shell', 'mcp', 'user_input', 'comment', 'shell'], 'Slips');
    const minted = structured<MintOutput>(await client.call('kairos_mint', { markdown_doc }));
    uri = minted.items[0]!.uri;
  });
  afterAll(async () => {
    await client.close();
    home.remove();
  });

  /** Runs the protocol with the slip at each step; returns the answers to the slips. */
  async function slipping(slip: Slip): Promise<RunFields[]> {
    const slips: RunFields[] = [];
    const slipped = new Set<string>();
    let previous: Call | null = null;
    const tools = toolsOf(client);
    const next = async (input: { uri: string; solution?: unknown; run_id?: string }) => {
      const call = input as Call;
      const at = String(call.solution?.type) + String(call.solution?.proof_hash);
      if (call.solution === undefined || slipped.has(at)) {
        const answer = await tools.next(input);
        previous = call;
        return answer;
      }
      slipped.add(at);
      const answer = structured<RunFields>(await client.call('kairos_next', slip(call, previous)));
      slips.push(answer);
      if (answer.error_code === undefined) previous = call;
      return answer;
    };
    const { answers } = await walkLiterally({ ...tools, next }, uri, {
      convention: 'as-told',
      solve: rightAnswer,
    });
    expect(answers.at(-1)).toMatchObject({ next_action: null, results: [{ outcome: 'success' }] });
    return slips;
  }

  it.each(Object.entries(ACCEPTED))('gives %s, which is accepted', async (_name, slip) => {
    const slips = await slipping(slip);
    expect(slips).toHaveLength(5);
    expect(slips.map(({ error_code: code }) => code ?? null)).toEqual([null, null, null, null, null]);
  });

  it.each(Object.entries(ANSWERED))('gives %s, and one answer leads on', async (_name, slip) => {
    const slips = await slipping(slip);
    expect(slips).toHaveLength(5);
    for (const { error_code: code, message, next_action: action, challenge } of slips) {
      expect(code).toEqual(expect.any(String));
      expect(message).toMatch(/\w+ \w+/);
      expect(action).toMatch(/^(call|retry) kairos_next with kairos:\S+ .*challenge; run_id /);
      expect(challenge).toMatchObject({ nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
    }
  });
});
