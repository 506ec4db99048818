import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttestOutput } from '../../src/operations/attest.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import {
  type Answers,
  CLIENTS,
  type ClientKind,
  type HttpServer,
  overHttp,
  overStdio,
  startHttp,
  structured,
  type TestClient,
} from '../mcp/support.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';

/** Servers of this file wait so long for an answer, in seconds. */
const PATIENCE = 8;
const SETTINGS = [
  '--user-input-server-driver',
  '--user-input-timeout',
  String(PATIENCE),
  '--allow-auto-sampling',
];
const ON = [...SETTINGS, 'sort-on-its-own'];

const asks = (user_input: object, more: object = {}) => ({
  proof_of_work: { type: 'user_input', user_input, ...more },
});
const SAMPLING = {
  system: 'You sort letters.',
  prompt: 'Which letters are vowels?',
  temperature: 0.1,
  top_p: 0.8,
  max_tokens: 77,
  approval_mode: 'auto',
  output_schema: {
    type: 'object',
    required: ['vowels'],
    properties: { vowels: { type: 'array', items: { type: 'string', maxLength: 1 } } },
    additionalProperties: false,
  },
};
const protocol = (title: string, blocks: object[]) =>
  `# ${title}\n\nFor the tests.\n\n${blocks.map((block, at) => stepOf(`Part ${at + 1}`, `Do part ${at + 1}.`, block)).join('\n')}`;
const PROTOCOLS = {
  'ask-about': protocol('Ask about', [
    asks({ prompt: 'May it go on?' }),
    asks({ prompt: 'Which colour?', choices: ['red', 'green'] }),
    asks({ prompt: 'Which version?', pattern: 'v[0-9]+' }),
  ]),
  'ask-last': protocol('Ask last', [asks({ prompt: 'Is it done?' }, { assurance: 'client' })]),
  'sort-out': protocol('Sort out', [
    asks({ prompt: 'May it go on?' }),
    { sampling: SAMPLING },
    { sampling: SAMPLING, ...asks({ prompt: 'Are these the vowels?' }) },
  ]),
  'sort-on-its-own': protocol('Sort on its own', [{ sampling: SAMPLING }]),
} as const;

let home: CliHome;
let server: HttpServer;
beforeAll(async () => {
  home = makeHome();
  for (const [slug, markdown] of Object.entries(PROTOCOLS)) {
    writeFileSync(join(home.work, `${slug}.md`), markdown);
    expect(await kairos(home, ['mint', `${slug}.md`], { prepares: true })).toMatchObject({ code: 0 });
  }
  server = await startHttp(home, ON);
}, 60_000);
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  home.remove();
});

const accept = (confirmation: unknown, more = {}) => ({
  action: 'accept',
  content: { confirmation, ...more },
});
const says = (text: string) => ({ role: 'assistant', model: 'test', content: { type: 'text', text } });
const VOWELS = '{"vowels": ["a", "e"]}';
/** Not blocked: the proof is stored. */
const ACCEPTED = { protocol_status: expect.stringMatching(/^(?:continue|completed)$/) };
const PLACEHOLDER = { type: 'user_input' };

/** A walk through one client. */
async function walkOf(client: TestClient, key: keyof typeof PROTOCOLS) {
  let answer = structured<RunFields>(await client.call('kairos_begin', { key }));
  const run_id = answer.run_id!;
  return {
    runId: run_id,
    get answer() {
      return answer;
    },
    /** At the pending step; without `solution` none is handed in. */
    async next(solution?: object): Promise<RunFields> {
      const input = {
        uri: answer.current_step!.uri,
        run_id,
        ...(solution === undefined ? {} : { solution }),
      };
      answer = structured<RunFields>(await client.call('kairos_next', input));
      return answer;
    },
    attest: async (input: object = {}) =>
      structured<AttestOutput>(
        await client.call('kairos_attest', {
          uri: answer.current_step!.uri,
          run_id,
          outcome: 'success',
          message: 'All of it was asked and answered.',
          ...input,
        }),
      ),
    /** What the record says of proofs: type or code, and what each is worth. */
    async proofs(): Promise<string[]> {
      const { stdout, stderr, code } = await kairos(home, ['runs', 'export', run_id], { prepares: true });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const entries = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { kind?: string; data: Record<string, unknown> });
      return entries
        .filter(({ kind }) => kind?.startsWith('proof.'))
        .map(({ kind, data }) => `${kind === 'proof.accepted' ? data.type : data.code} ${data.assurance}`);
    },
  };
}

async function withClient(
  kind: ClientKind,
  transport: 'stdio' | 'http',
  answers: Answers,
  work: (client: TestClient) => Promise<void>,
): Promise<void> {
  const client =
    transport === 'stdio'
      ? await overStdio(kind, home, ON, answers)
      : await overHttp(kind, server.url, undefined, answers);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

const everyWay = CLIENTS.flatMap((kind) => [[kind, 'stdio'] as const, [kind, 'http'] as const]);

describe.each(everyWay)('a client of %s over %s', (kind, transport) => {
  it('has its user asked through a form, with choices or pattern, and each answer is worth what a client is', async () => {
    const forms: unknown[] = [];
    const replies = [accept('approved'), accept('green'), accept('v12')];
    const elicit = (params: Record<string, unknown>) => {
      forms.push(params);
      return replies[forms.length - 1];
    };
    await withClient(kind, transport, { elicit }, async (client) => {
      const walk = await walkOf(client, 'ask-about');
      for (const at of [1, 2, 3]) {
        expect(await walk.next(PLACEHOLDER)).toMatchObject({ ...ACCEPTED, must_obey: true });
        expect(forms).toHaveLength(at);
      }
      expect(walk.answer.protocol_status).toBe('completed');
      expect(await walk.attest()).toMatchObject({
        assurance: { observed: 0, attested: 0, client: 3, claimed: 1 },
      });
      expect(await walk.proofs()).toEqual([
        'user_input client',
        'user_input client',
        'user_input client',
        'comment claimed',
      ]);
    });
    expect(forms).toMatchObject([
      {
        message: 'May it go on?',
        requestedSchema: { properties: { confirmation: { enum: ['approved', 'rejected'] } } },
      },
      {
        message: 'Which colour?',
        requestedSchema: { properties: { confirmation: { enum: ['red', 'green'] } } },
      },
      { message: 'Which version?', requestedSchema: { properties: { confirmation: { type: 'string' } } } },
    ]);
  }, 60_000);

  it('reports a decline or a closed form as USER_DECLINED, which no claim lifts, and asks no other party', async () => {
    let sampled = 0;
    const replies = [{ action: 'decline' }, { action: 'cancel' }, accept('rejected'), accept('approved')];
    const answers = {
      elicit: () => replies.shift(),
      sample: () => {
        sampled += 1;
        return says('{"confirmation": "approved"}');
      },
    };
    await withClient(kind, transport, answers, async (client) => {
      const walk = await walkOf(client, 'ask-about');
      for (let round = 0; round < 3; round += 1) {
        expect(await walk.next(PLACEHOLDER)).toMatchObject({
          error_code: 'USER_DECLINED',
          next_action: expect.stringContaining('ask the user'),
        });
      }
      const { nonce, proof_hash } = walk.answer.challenge!;
      const claim = { type: 'user_input', nonce, proof_hash, user_input: { confirmation: 'approved' } };
      expect(await walk.next(claim)).toMatchObject({ error_code: 'USER_DECLINED' });
      expect(await walk.next(PLACEHOLDER)).toMatchObject(ACCEPTED);
      expect(await walk.proofs()).toEqual([
        'USER_DECLINED client',
        'USER_DECLINED client',
        'USER_DECLINED client',
        'USER_DECLINED claimed',
        'user_input client',
      ]);
    });
    expect(sampled).toBe(0);
  }, 60_000);

  it('that lies or fails advances nothing: the other driver is tried, then the agent has to ask', async () => {
    const lies = [
      accept('approved', { and: 'more' }),
      accept(1),
      accept('Approved'),
      accept(['approved']),
      { action: 'accept' },
    ];
    const outputs = [
      'yes',
      '{"confirmation": 1}',
      '{"confirmation": "approved", "sure": true}',
      '"approved"',
      '',
    ];
    let forms = 0;
    let models = 0;
    const answers = {
      elicit: () => lies[forms++ % lies.length],
      sample: () => says(outputs[models++ % outputs.length]!),
      hasty: true,
    };
    await withClient(kind, transport, answers, async (client) => {
      const walk = await walkOf(client, 'ask-about');
      for (const round of lies.keys()) {
        expect(await walk.next(PLACEHOLDER)).toMatchObject({
          error_code: 'SAMPLING_INVALID_OUTPUT',
          protocol_status: 'blocked',
          challenge: { type: 'user_input', nonce: expect.any(String) },
          must_obey: true,
        });
        expect([forms, models]).toEqual([round + 1, round + 1]);
      }
      // Nothing of it counted, and the agent can go on by itself.
      expect(walk.answer.retry_count ?? 0).toBe(0);
      const { nonce, proof_hash } = walk.answer.challenge!;
      const claim = { type: 'user_input', nonce, proof_hash, user_input: { confirmation: 'approved' } };
      expect(await walk.next(claim)).toMatchObject(ACCEPTED);
      expect((await walk.proofs()).at(-1)).toBe('user_input claimed');
    });
  }, 60_000);

  it('whose form gives no usable answer has its model asked, with the user watching', async () => {
    const requests: Record<string, unknown>[] = [];
    const answers = {
      elicit: () => accept('purple'),
      sample: (params: Record<string, unknown>) => {
        requests.push(params);
        return says('{"confirmation": "approved"}');
      },
    };
    await withClient(kind, transport, answers, async (client) => {
      const walk = await walkOf(client, 'ask-about');
      expect(await walk.next(PLACEHOLDER)).toMatchObject(ACCEPTED);
      expect(await walk.proofs()).toEqual(['user_input client']);
    });
    expect(requests).toMatchObject([
      {
        systemPrompt: expect.stringContaining('Show the following prompt to the user'),
        messages: [{ role: 'user', content: { type: 'text', text: 'May it go on?' } }],
        metadata: { approval_mode: 'user' },
      },
    ]);
  }, 60_000);

  it('that is silent for too long is not waited for, and the question goes to no other party', async () => {
    let sampled = 0;
    const answers = {
      elicit: async () => {
        await delay((PATIENCE + 1.5) * 1000);
        return accept('approved');
      },
      sample: () => {
        sampled += 1;
        return says('{"confirmation": "approved"}');
      },
    };
    await withClient(kind, transport, answers, async (client) => {
      const walk = await walkOf(client, 'ask-about');
      expect(await walk.next(PLACEHOLDER)).toMatchObject({
        error_code: 'ELICITATION_FAILED',
        message: expect.stringContaining('did not answer in time'),
        challenge: { type: 'user_input' },
      });
      expect(await walk.proofs()).toEqual(['ELICITATION_FAILED client']);
    });
    expect(sampled).toBe(0);
  }, 60_000);

  it('has its model asked exactly the text of the step, on the way through it, and checks its output against the schema', async () => {
    const requests: Record<string, unknown>[] = [];
    const outputs = ['{"vowels": ["a", "ee"], "more": 1}', 'The vowels are a and e.', VOWELS, VOWELS];
    const answers = {
      elicit: () => accept('approved'),
      sample: (params: Record<string, unknown>) => {
        requests.push(params);
        return says(outputs[requests.length - 1]!);
      },
    };
    await withClient(kind, transport, answers, async (client) => {
      const walk = await walkOf(client, 'sort-out');
      // The user's answer is taken, the model's is not.
      expect(await walk.next(PLACEHOLDER)).toMatchObject({
        error_code: 'SAMPLING_INVALID_OUTPUT',
        proof_hash: expect.any(String),
        retry_count: 1,
        challenge: { type: 'sampling' },
        violations: [
          { pointer: '/more', keyword: 'additionalProperties' },
          { pointer: '/vowels/1', keyword: 'maxLength' },
        ].sort((a, b) => a.pointer.localeCompare(b.pointer)),
      });
      expect(await walk.next()).toMatchObject({ error_code: 'SAMPLING_INVALID_OUTPUT', retry_count: 2 });
      // Both sampling steps are passed in one call; the second has a question for the user behind it.
      expect(await walk.next({ type: 'sampling' })).toMatchObject({ challenge: { type: 'user_input' } });
      expect(await walk.next(PLACEHOLDER)).toMatchObject({ protocol_status: 'completed' });
      expect(await walk.proofs()).toEqual([
        'user_input client',
        'SAMPLING_INVALID_OUTPUT client',
        'SAMPLING_INVALID_OUTPUT client',
        'sampling client',
        'sampling client',
        'user_input client',
      ]);
    });
    expect(requests).toHaveLength(4);
    for (const request of requests) {
      expect(request).toMatchObject({
        systemPrompt: 'You sort letters.',
        messages: [{ role: 'user', content: { type: 'text', text: 'Which letters are vowels?' } }],
        temperature: 0.1,
        maxTokens: 77,
        metadata: { top_p: 0.8, approval_mode: 'user' },
      });
    }
  }, 60_000);

  it('may run its model without approval only for protocols that the server names', async () => {
    const modes: unknown[] = [];
    const sample = ({ metadata }: { metadata?: { approval_mode?: string } }) => {
      modes.push(metadata?.approval_mode);
      return says(VOWELS);
    };
    await withClient(kind, transport, { sample } as Answers, async (client) => {
      const walk = await walkOf(client, 'sort-on-its-own');
      expect(walk.answer.challenge).toMatchObject({ type: 'sampling' });
      expect(await walk.next()).toMatchObject({ protocol_status: 'completed' });
    });
    expect(modes).toEqual(['auto']);
  }, 60_000);

  it('closes a run whose last step asks the user with one call', async () => {
    const replies = [{ action: 'decline' }, accept('approved')];
    await withClient(kind, transport, { elicit: () => replies.shift() }, async (client) => {
      const walk = await walkOf(client, 'ask-last');
      expect(await walk.attest({ solution: PLACEHOLDER })).toMatchObject({ error_code: 'USER_DECLINED' });
      expect(await walk.attest({ solution: PLACEHOLDER })).toMatchObject({
        total_rated: 1,
        next_action: null,
        assurance: { client: 1, claimed: 1 },
      });
      expect(await walk.proofs()).toEqual(['USER_DECLINED client', 'user_input client', 'comment claimed']);
    });
  }, 60_000);

  it('that offers nothing leaves everything to the agent, without an error', async () => {
    await withClient(kind, transport, {}, async (client) => {
      const walk = await walkOf(client, 'ask-about');
      const shown = await walk.next(PLACEHOLDER);
      expect(shown.challenge).toMatchObject({ type: 'user_input' });
      expect(shown.error_code).toBeUndefined();
      const { nonce, proof_hash } = shown.challenge!;
      await walk.next({ type: 'user_input', nonce, proof_hash, user_input: { confirmation: 'approved' } });
      expect(await walk.proofs()).toEqual(['user_input claimed']);
      const other = await walkOf(client, 'sort-on-its-own');
      expect(await other.next()).toMatchObject({
        error_code: 'MISSING_PROOF',
        challenge: { sampling: SAMPLING },
      });
      const { nonce: again, proof_hash: echo } = other.answer.challenge!;
      const claim = {
        type: 'sampling',
        nonce: again,
        proof_hash: echo,
        sampling: { result: { vowels: ['a'] } },
      };
      expect(await other.next(claim)).toMatchObject({ protocol_status: 'completed' });
      expect(await other.proofs()).toEqual(['sampling claimed']);
    });
  }, 60_000);
});

describe('a step that demands more than a claim', () => {
  it.each(CLIENTS)(
    '%s: begin reports beforehand whether this client can give it',
    async (kind) => {
      const far = 'asks for assurance client, which this interface cannot reach';
      await withClient(kind, 'http', {}, async (client) => {
        const walk = await walkOf(client, 'ask-last');
        expect(walk.answer.message).toContain(far);
        const { nonce, proof_hash } = (await walk.next(PLACEHOLDER)).challenge!;
        const claim = { ...PLACEHOLDER, nonce, proof_hash, user_input: { confirmation: 'approved' } };
        expect(await walk.next(claim)).toMatchObject({ error_code: 'ASSURANCE_TOO_LOW' });
      });
      await withClient(kind, 'http', { elicit: () => accept('approved') }, async (client) => {
        const walk = await walkOf(client, 'ask-last');
        expect(walk.answer.message ?? '').not.toContain(far);
        expect(await walk.next(PLACEHOLDER)).toMatchObject({ protocol_status: 'completed' });
      });
    },
    60_000,
  );
});

describe('two callers at one step', () => {
  it.each(CLIENTS)(
    '%s: who is slower hears that the run has moved on',
    async (kind) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const elicit = async () => {
        await held;
        return accept('approved');
      };
      await withClient(kind, 'http', { elicit }, async (client) => {
        const walk = await walkOf(client, 'ask-about');
        const input = { uri: walk.answer.current_step!.uri, run_id: walk.runId };
        const slow = client.call('kairos_next', { ...input, solution: PLACEHOLDER });
        await delay(500);
        const other = await overHttp('sdk-2', server.url, undefined, { elicit: () => accept('approved') });
        const fast = structured<RunFields>(
          await other.call('kairos_next', { ...input, solution: PLACEHOLDER }),
        );
        expect(fast).toMatchObject(ACCEPTED);
        await other.close();
        release();
        expect(structured<RunFields>(await slow)).toMatchObject({ error_code: 'CONFLICT' });
        expect(await walk.proofs()).toContain('user_input client');
        expect((await walk.proofs()).filter((proof) => proof === 'user_input client')).toHaveLength(1);
      });
    },
    60_000,
  );
});

describe('a call that is cancelled while the user thinks', () => {
  it.each(['sdk-1', 'sdk-2-legacy'] as const)(
    '%s: withdraws the question, and proves nothing',
    async (kind) => {
      let asked = 0;
      const elicit = async () => {
        asked += 1;
        await delay(1500);
        return accept('approved');
      };
      await withClient(kind, 'http', { elicit }, async (client) => {
        const walk = await walkOf(client, 'ask-about');
        const stop = new AbortController();
        const call = client.call(
          'kairos_next',
          { uri: walk.answer.current_step!.uri, run_id: walk.runId, solution: PLACEHOLDER },
          { signal: stop.signal },
        );
        await delay(500);
        stop.abort();
        await expect(call).rejects.toThrow();
        await delay(2000);
        expect(asked).toBe(1);
        expect(await walk.proofs()).toEqual([]);
        expect(await walk.next({ type: 'comment' })).toMatchObject({
          current_step: walk.answer.current_step,
        });
      });
    },
    60_000,
  );
});

describe('a server that is ended while the user thinks', () => {
  it.each(['sdk-1', 'sdk-2-legacy'] as const)(
    '%s: ends in good order, and proves nothing',
    async (kind) => {
      const other = await startHttp(home, ON);
      let asked = () => {};
      const question = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const elicit = async () => {
        asked();
        await delay(3000);
        return accept('approved');
      };
      const client = await overHttp(kind, other.url, undefined, { elicit });
      const walk = await walkOf(client, 'ask-about');
      const call = walk.next(PLACEHOLDER).then(
        () => 'answered',
        () => 'broken off',
      );
      await question;
      expect(await other.stop()).toBe(0);
      await client.close();
      expect(await call).toBe('broken off');
      expect(await walk.proofs()).toEqual([]);
      expect(await kairos(home, ['verify', walk.runId])).toMatchObject({
        stdout: expect.stringContaining('unsealed'),
      });
    },
    60_000,
  );
});

describe('progress', () => {
  it.each(['sdk-1', 'sdk-2-legacy'] as const)(
    '%s: reports to a client that asked for it what is waited for',
    async (kind) => {
      const told: string[] = [];
      await withClient(kind, 'stdio', { elicit: () => accept('approved') }, async (client) => {
        const walk = await walkOf(client, 'ask-about');
        await client.call(
          'kairos_next',
          { uri: walk.answer.current_step!.uri, run_id: walk.runId, solution: PLACEHOLDER },
          { onprogress: ({ message }) => void told.push(message ?? '') },
        );
      });
      expect(told).toEqual(["Waiting for the user's answer."]);
    },
    60_000,
  );
});

describe('what was asked', () => {
  it('is counted and logged, without its text', async () => {
    const client = await overHttp('sdk-1', server.url, undefined, { elicit: () => ({ action: 'decline' }) });
    const walk = await walkOf(client, 'ask-about');
    await walk.next(PLACEHOLDER);
    await client.close();
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toMatch(
      /^kairos_director_asks_total\{asked="user_input",driver="elicitation",outcome="declined"\} [1-9]/m,
    );
    expect(metrics).toMatch(
      /^kairos_director_failures_total\{asked="user_input",driver="elicitation",code="USER_DECLINED"\} [1-9]/m,
    );
    expect(metrics).toMatch(
      /^kairos_director_ask_seconds_count\{asked="user_input",driver="elicitation"\} [1-9]/m,
    );
    const logged = server
      .stderr()
      .split('\n')
      .filter((line) => line.includes(walk.runId))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged).toMatchObject([
      { event: 'client asked', asked: 'user_input', driver: 'elicitation' },
      { event: 'client answered', outcome: 'declined', duration_seconds: expect.any(Number) },
      { event: 'asking proved nothing', code: 'USER_DECLINED' },
    ]);
    expect(JSON.stringify(logged)).not.toContain('May it go on');
  }, 60_000);
});

describe('the user’s own settings', () => {
  it('decide who is asked, and a flag overrides them', async () => {
    writeFileSync(join(home.config, 'kairos.config.yaml'), 'user_input_driver: agent\n', { mode: 0o600 });
    const shown = await kairosJson(home, ['config']);
    expect(shown).toMatchObject({ code: 0 });
    let asked = 0;
    const elicit = () => {
      asked += 1;
      return accept('approved');
    };
    for (const [args, count] of [
      [[], 0],
      [['--user-input-driver', 'elicitation'], 1],
    ] as const) {
      const client = await overStdio('sdk-1', home, args, { elicit });
      const walk = await walkOf(client, 'ask-about');
      await walk.next(PLACEHOLDER);
      await client.close();
      expect(asked).toBe(count);
    }
  }, 60_000);
});
