import { describe, expect, it } from 'vitest';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';

const block = {
  proof_of_work: { type: 'shell', shell: { cmd: 'drain "$TARGET_HOST"', timeout_seconds: 20 } },
};
const DOCUMENT = `---
inputs:
  TARGET_HOST: { description: Load balancer to drain, pattern: '[a-z0-9.-]+' }
  FORCE: { type: boolean, default: false }
---
# Drain

For the tests.

${stepOf('Drain', 'Drain {{TARGET_HOST}}.', block)}`;

describe('kairos_begin of a protocol with inputs', () => {
  it('asks for what is missing, as JSON Schema, and begins nothing', async () => {
    const ctx = await makeContext();
    const { items } = await mint(ctx, { markdown_doc: DOCUMENT });
    const { uri } = items[0]!;
    const answer = (await begin(ctx, { uri })) as RunFields;
    expect(answer).toMatchObject({
      must_obey: true,
      error_code: 'INPUT_REQUIRED',
      protocol_status: 'blocked',
      next_action: `retry kairos_begin with ${uri} and inputs matching input_schema`,
      input_schema: {
        type: 'object',
        properties: {
          TARGET_HOST: { type: 'string', description: 'Load balancer to drain' },
          FORCE: { type: 'boolean', default: false },
        },
        required: ['TARGET_HOST'],
      },
    });
    expect(answer.run_id).toBeUndefined();
    expect(await ctx.store.lastRun()).toBeNull();
  });

  it('shows the values in texts and hands them to the command', async () => {
    const ctx = await makeContext();
    const { items } = await mint(ctx, { markdown_doc: DOCUMENT });
    const given = { uri: items[0]!.uri, inputs: { TARGET_HOST: 'lb2', FORCE: true } };
    const answer = (await begin(ctx, given)) as RunFields;
    expect(answer.current_step?.content).toBe('Drain lb2.');
    expect(answer.challenge).toMatchObject({
      shell: { cmd: 'drain "$TARGET_HOST"' },
      environment: { TARGET_HOST: 'lb2', FORCE: 'true' },
    });
  });

  it('gives a tool a number and a boolean, where an argument is one reference', async () => {
    const ctx = await makeContext();
    const mcp = {
      tool_name: 'scale',
      arguments: {
        count: '{{COUNT}}',
        flags: [{ force: '{{ FORCE }}' }],
        ratio: '{{RATIO}}',
        large: '{{LARGE}}',
        name: '{{NAME}}',
        note: '{{COUNT}} of {{NAME}}',
      },
      expected_result: { count: '{{COUNT}}' },
    };
    const outputs = [{ path: '{{COUNT}}.json', equals: '{{COUNT}}' }];
    const document = `---
inputs:
  COUNT: { type: number }
  RATIO: { type: number, default: -0.5 }
  LARGE: { type: number, default: '12345678901234567890' }
  FORCE: { type: boolean, default: false }
  NAME: { default: '7' }
---
# Scale

For the tests.

${stepOf('Scale', 'Scale to {{COUNT}}.', { proof_of_work: { type: 'mcp', mcp }, outputs })}`;
    const { items } = await mint(ctx, { markdown_doc: document });
    const answer = (await begin(ctx, { uri: items[0]!.uri, inputs: { COUNT: '3' } })) as RunFields;
    expect(answer.current_step?.content).toBe('Scale to 3.');
    expect(answer.challenge).toMatchObject({
      mcp: {
        arguments: {
          count: 3,
          flags: [{ force: false }],
          ratio: -0.5,
          large: '12345678901234567890',
          name: '7',
          note: '3 of 7',
        },
        expected_result: { count: 3 },
      },
      outputs: [{ path: '3.json', equals: 3 }],
    });
  });

  it('rejects a value that does not fit, with what is required', async () => {
    const ctx = await makeContext();
    const { items } = await mint(ctx, { markdown_doc: DOCUMENT });
    const given = { uri: items[0]!.uri, inputs: { TARGET_HOST: 'lb 2', FORCE: 'maybe' } };
    await expect(begin(ctx, given)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/TARGET_HOST is "lb 2".*FORCE is "maybe". Expected: true or false/),
    });
  });
});
