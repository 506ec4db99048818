import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Challenge, RunFields } from '../../src/run/walk-fields.ts';
import { type Answers, type HttpServer, overHttp, startHttp, structured } from '../mcp/support.ts';
import { type CliHome, kairos, makeHome } from '../support/cli.ts';
import { protocolOf, type StepKind } from '../support/protocols.ts';

const page = readFileSync(new URL('../../docs/mcp/director.md', import.meta.url), 'utf8');
const ROWS = [...page.matchAll(/^\| `(\w+)` \| ([\w, ]+) \| (off|on) \| (.+?) \| `(\w+)` \|$/gm)].map(
  ([, step, offers, driver, asked, assurance]) => ({
    step: step as StepKind,
    offers: offers!.split(', '),
    on: driver === 'on',
    asked: asked!,
    assurance: assurance!,
  }),
);

/** What a real agent would hand in. */
const BY_HAND: Record<string, object> = {
  user_input: { user_input: { confirmation: 'approved' } },
  sampling: { sampling: { result: { parts: 3 } } },
  comment: { comment: { text: 'Both parts were counted twice over.' } },
  shell: { shell: { exit_code: 0, stdout: 'fine' } },
  mcp: { mcp: { tool_name: 'list_items', result: [], success: true } },
};
const WHO: Record<string, string> = {
  agent: 'the agent',
  form: 'the user, through a form',
  'model for user_input': "the client's model, to show the user the prompt",
  'model for sampling': "the client's model",
};

let home: CliHome;
const servers = new Map<boolean, HttpServer>();
beforeAll(async () => {
  home = makeHome();
  for (const kind of Object.keys(BY_HAND) as StepKind[]) {
    const file = `${kind}.md`;
    writeFileSync(join(home.work, file), protocolOf([kind], `Row ${kind.replace('_', ' ')}`));
    expect(await kairos(home, ['mint', file], { prepares: true })).toMatchObject({ code: 0 });
  }
  servers.set(false, await startHttp(home));
  servers.set(true, await startHttp(home, ['--user-input-server-driver']));
}, 60_000);
afterAll(async () => {
  for (const server of servers.values()) expect(await server.stop()).toBe(0);
  home.remove();
});

it('has a row for each way of being asked, and none twice', () => {
  expect(new Set(ROWS.map(({ asked }) => asked))).toEqual(new Set(Object.values(WHO)));
  const keys = ROWS.map(({ step, offers, on }) => `${step} ${offers} ${on}`);
  expect(keys).toHaveLength(18);
  expect(new Set(keys).size).toBe(keys.length);
});

describe.each(['sdk-1', 'sdk-2'] as const)('the table of docs/mcp/director.md (%s)', (kind) => {
  it.each(ROWS)(
    '$step, client offers $offers, on: $on',
    async ({ step, offers, on, asked, assurance }) => {
      const who = new Set<string>();
      const answers: Answers = {
        ...(offers.includes('elicitation')
          ? {
              elicit: () => {
                who.add('form');
                return { action: 'accept', content: { confirmation: 'approved' } };
              },
            }
          : {}),
        ...(offers.includes('sampling')
          ? {
              sample: () => {
                who.add(`model for ${step}`);
                const text = step === 'sampling' ? '{"parts": 3}' : '{"confirmation": "approved"}';
                return { role: 'assistant', model: 'm', content: { type: 'text', text } };
              },
            }
          : {}),
      };
      const client = await overHttp(kind, servers.get(on)!.url, undefined, answers);
      try {
        const key = `row-${step.replace('_', '-')}`;
        const begun = structured<RunFields>(await client.call('kairos_begin', { key }));
        const next = async (input: object) =>
          structured<RunFields>(
            await client.call('kairos_next', {
              uri: begun.current_step!.uri,
              run_id: begun.run_id!,
              ...input,
            }),
          );
        let answer = await next(step === 'user_input' ? { solution: { type: step } } : {});
        if (answer.protocol_status !== 'completed') {
          who.add('agent');
          const { nonce, proof_hash } = answer.challenge as Challenge;
          answer = await next({ solution: { type: step, nonce, proof_hash, ...BY_HAND[step] } });
        }
        expect(answer.protocol_status).toBe('completed');
        expect([...who].map((name) => WHO[name])).toEqual([asked]);
        const { stdout } = await kairos(home, ['runs', 'export', begun.run_id!], { prepares: true });
        expect(stdout).toContain(`"assurance":"${assurance}"`);
        expect(stdout.match(/"proof.accepted"/g)).toHaveLength(1);
      } finally {
        await client.close();
      }
    },
    30_000,
  );
});
