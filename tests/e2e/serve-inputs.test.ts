import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  TRANSPORTS,
} from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';

const DRAIN = `---
slug: drain
inputs:
  TARGET_HOST: { description: Load balancer to drain, pattern: '[a-z0-9.-]+' }
  RETRIES: { type: number, default: 3 }
  FORCE: { type: boolean, default: false }
  ZONE: { choices: [eu, us], default: eu }
---
# Drain a host

For the tests.

## Drain

Drain {{TARGET_HOST}} in {{ZONE}}.

\`\`\`sh proof timeout=20s
drain "$TARGET_HOST" "$RETRIES" "$FORCE"
\`\`\`
`;
const SECRET = `---
slug: connect
inputs:
  DB_HOST: { description: Host of the database }
  DB_PASSWORD: { secret: true }
---
# Connect

For the tests.

## Connect

Connect to {{DB_HOST}}.

\`\`\`sh proof timeout=20s
PGPASSWORD="$DB_PASSWORD" psql -h "$DB_HOST" -c 'select 1'
\`\`\`
`;

let home: CliHome;
let server: HttpServer;
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'drain.md'), DRAIN);
  writeFileSync(join(home.work, 'connect.md'), SECRET);
  expect(await kairos(home, ['mint', 'drain.md', 'connect.md'], { prepares: true })).toMatchObject({
    code: 0,
  });
  server = await startHttp(home);
}, 60_000);
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  home.remove();
});

async function withClient(
  kind: ClientKind,
  transport: (typeof TRANSPORTS)[number],
  answers: Answers,
  work: (client: TestClient) => Promise<void>,
): Promise<void> {
  const client =
    transport === 'stdio'
      ? await overStdio(kind, home, [], answers)
      : await overHttp(kind, server.url, undefined, answers);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

const begin = async (client: TestClient, args: Record<string, unknown>) =>
  structured<RunFields>(await client.call('kairos_begin', args));
const accept = (content: object) => ({ action: 'accept', content });
const recorded = async (runId: string) => (await exportedLedger(home, runId)).entries[0]!.data;

describe.each(CLIENTS.flatMap((kind) => TRANSPORTS.map((transport) => ({ kind, transport }))))(
  'inputs that are missing ($kind, $transport)',
  ({ kind, transport }) => {
    it('are asked in one form, with defaults, and the run begins with the answer', async () => {
      const forms: Record<string, unknown>[] = [];
      const elicit = (form: Record<string, unknown>) => {
        forms.push(form);
        return accept({ TARGET_HOST: 'lb2', RETRIES: 5, FORCE: true, ZONE: 'us' });
      };
      await withClient(kind, transport, { elicit }, async (client) => {
        const begun = await begin(client, { key: 'drain' });
        expect(begun).toMatchObject({
          current_step: { content: 'Drain lb2 in us.' },
          challenge: { environment: { TARGET_HOST: 'lb2', RETRIES: '5', FORCE: 'true', ZONE: 'us' } },
        });
        expect(await recorded(begun.run_id!)).toMatchObject({
          inputs: { TARGET_HOST: 'lb2', RETRIES: '5', FORCE: 'true', ZONE: 'us' },
        });
      });
      expect(forms).toHaveLength(1);
      expect(forms[0]).toMatchObject({
        message: 'Drain a host: what is this run done to?',
        requestedSchema: {
          properties: {
            TARGET_HOST: {
              type: 'string',
              title: 'TARGET_HOST',
              description: 'Load balancer to drain; it has to match [a-z0-9.-]+ as a whole',
            },
            RETRIES: { type: 'number', default: 3 },
            FORCE: { type: 'boolean', default: false },
            ZONE: { type: 'string', enum: ['eu', 'us'], default: 'eu' },
          },
          required: ['TARGET_HOST'],
        },
      });
    });

    it('are not asked for what the call gives, nor where only defaults are left', async () => {
      const forms: { requestedSchema: { properties: object } }[] = [];
      const elicit = (form: Record<string, unknown>) => {
        forms.push(form as never);
        return accept({ TARGET_HOST: 'lb3' });
      };
      await withClient(kind, transport, { elicit }, async (client) => {
        expect(await begin(client, { key: 'drain', inputs: { TARGET_HOST: 'lb2' } })).toMatchObject({
          current_step: { content: 'Drain lb2 in eu.' },
        });
        expect(forms).toEqual([]);
        expect(await begin(client, { key: 'drain', inputs: { ZONE: 'us' } })).toMatchObject({
          current_step: { content: 'Drain lb3 in us.' },
        });
        expect(Object.keys(forms[0]!.requestedSchema.properties)).toEqual([
          'TARGET_HOST',
          'RETRIES',
          'FORCE',
        ]);
      });
    });

    it('begin nothing when the user declines, or gives a value that does not fit', async () => {
      let content: object | null = null;
      const elicit = () => (content === null ? { action: 'decline' } : accept(content));
      await withClient(kind, transport, { elicit }, async (client) => {
        const declined = await begin(client, { key: 'drain' });
        expect(declined).toMatchObject({
          error_code: 'USER_DECLINED',
          message:
            'The user declined to give the inputs, so no run has begun. Ask them before you call again.',
          input_schema: { required: ['TARGET_HOST'] },
        });
        expect(declined.run_id).toBeUndefined();
        content = { TARGET_HOST: 'lb 2' };
        const invalid = await client.call('kairos_begin', { key: 'drain' }).catch((error: Error) => error);
        expect(JSON.stringify(invalid instanceof Error ? invalid.message : invalid)).toMatch(
          /TARGET_HOST|does not match/,
        );
      });
    });

    it('are left to the agent where the client refuses immediately, or one is secret', async () => {
      let asked = 0;
      const elicit = () => {
        asked += 1;
        return { action: 'cancel' };
      };
      await withClient(kind, transport, { elicit, hasty: true }, async (client) => {
        expect(await begin(client, { key: 'drain' })).toMatchObject({
          error_code: 'INPUT_REQUIRED',
          message: expect.stringContaining('Ask them yourself.'),
          next_action: expect.stringMatching(
            /^retry kairos_begin with kairos:.* and inputs matching input_schema$/,
          ),
        });
        expect(asked).toBe(1);
        expect(await begin(client, { key: 'connect' })).toMatchObject({
          error_code: 'INPUT_REQUIRED',
          input_schema: { required: ['DB_HOST', 'DB_PASSWORD'] },
        });
        expect(asked).toBe(1);
      });
    });
  },
);

it('one answer begins one run, also with two servers', async () => {
  const bodies: Record<string, unknown>[] = [];
  const elicit = () => accept({ TARGET_HOST: 'lb2' });
  const second = await startHttp(home);
  const client = await overHttp('sdk-2', server.url, undefined, { elicit });
  const transport = (client.client as Client).transport!;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    bodies.push(message as never);
    return send(message, options);
  };
  const begun = await begin(client, { key: 'drain' });
  const retry = bodies.findLast(({ method }) => method === 'tools/call')!;
  await client.close();
  const again = async (url: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'kairos_begin',
      },
      body: JSON.stringify(retry),
    });
    return response.text();
  };
  expect(await again(server.url)).toContain('Invalid or expired requestState');
  expect(await again(second.url)).toContain(`run ${begun.run_id} has already begun`);
  expect(await second.stop()).toBe(0);
});

describe.each(CLIENTS)('the prompt of a protocol (%s)', (kind) => {
  it('has its inputs as arguments and leads to its run', async () => {
    await withClient(kind, 'stdio', {}, async (test) => {
      const client = test.client as Client;
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name).sort()).toEqual([
        'author_protocol',
        'connect',
        'drain',
        'start_protocol',
      ]);
      expect(prompts.find(({ name }) => name === 'drain')).toMatchObject({
        title: 'Drain a host',
        arguments: [
          {
            name: 'TARGET_HOST',
            description: 'Load balancer to drain; matches [a-z0-9.-]+; required',
            required: true,
          },
          { name: 'RETRIES', description: 'number; default 3', required: false },
          { name: 'FORCE', required: false },
          { name: 'ZONE', required: false },
        ],
      });
      const text = async (name: string, args: Record<string, string>) =>
        ((await client.getPrompt({ name, arguments: args })).messages[0]!.content as { text: string }).text;
      const words = await text('drain', { TARGET_HOST: 'lb2', ZONE: '' });
      const [, uri, inputs] = /kairos_begin with uri (\S+) and inputs (\{.*?\})\./.exec(words)!;
      expect(await begin(test, { uri, inputs: JSON.parse(inputs!) })).toMatchObject({
        current_step: { content: 'Drain lb2 in eu.' },
      });
      await expect(text('drain', { TARGET_HOST: 'lb 2' })).rejects.toThrow(/TARGET_HOST is "lb 2"/);
      await expect(text('drain', {})).rejects.toThrow(/Missing argument: TARGET_HOST/);
      expect(await text('connect', { DB_HOST: 'db1' })).toContain(
        'It also needs DB_PASSWORD: ask me for that.',
      );
      await expect(text('connect', { DB_HOST: 'db1', DB_PASSWORD: 'word' })).rejects.toThrow(
        /DB_PASSWORD is secret/,
      );
      const ref = { type: 'ref/prompt' as const, name: 'drain' };
      const completed = await client.complete({ ref, argument: { name: 'ZONE', value: 'u' } });
      expect(completed.completion.values).toEqual(['us']);
    });
  });
});
