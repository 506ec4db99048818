import { describe, expect, it } from 'vitest';
import { instructions } from '../../src/mcp/server/create-server.ts';
import { listing, toolsFor } from '../../src/mcp/tools/index.ts';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf } from '../support/protocols.ts';
import { rightAnswer, type Tools, walkLiterally, wrongAnswer } from '../support/walker.ts';

/** What a model pays in context. A token is four characters here. */
const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

/** The size of an answer without the author's words: labels, the step's text, and the object of the challenge's type. */
function beside({ current_step: step, next_step: after, challenge, ...rest }: RunFields): number {
  const { label: _, content: __, ...where } = step ?? { uri: '' };
  const next_step = after == null ? after : { ...after, label: '' };
  const { [challenge?.type ?? 'type']: ___, ...asked } = (challenge ?? {}) as Record<string, unknown>;
  return JSON.stringify({
    ...rest,
    next_step,
    current_step: { ...where, label: '', content: '' },
    challenge: asked,
  }).length;
}

async function walk(wrong: number | null = null): Promise<RunFields[]> {
  const ctx = await makeContext();
  const kinds = ['none', 'shell', 'mcp', 'user_input', 'comment', 'shell'] as const;
  const { items } = await mint(ctx, { markdown_doc: protocolOf(kinds, 'Six') });
  const tools = {
    begin: (input: never) => begin(ctx, input),
    next: (input: never) => next(ctx, input),
    attest: (input: never) => attest(ctx, input),
  } as unknown as Tools;
  const { answers } = await walkLiterally(tools, items[0]!.uri, {
    convention: 'as-told',
    solve: (challenge, call) => (call === wrong ? wrongAnswer(challenge) : rightAnswer(challenge, call)),
  });
  return answers;
}

describe('what an agent pays', () => {
  it('tools/list: at most 1,500 tokens, for every kind of server', () => {
    for (const readOnly of [false, true]) {
      for (const execute of [false, true]) {
        const tools = toolsFor({ readOnly }).map((tool) => listing(tool, { execute }));
        expect(tokens({ tools })).toBeLessThanOrEqual(readOnly ? 1_200 : 1_500);
      }
    }
  });

  it('the instructions: at most 512 tokens', () => {
    expect(tokens(instructions({ readOnly: true, execute: true }))).toBeLessThanOrEqual(512);
  });

  it("a step's answer to kairos_next: at most 800 characters without the words of the author", async () => {
    const [, ...answers] = await walk();
    const steps = answers.filter(({ protocol_status: status }) => status === 'continue');
    expect(steps).toHaveLength(5);
    expect(Math.max(...steps.map(beside))).toBeLessThanOrEqual(800);
  });

  it('a run of six steps: its answers, and each text once', async () => {
    const answers = await walk();
    expect(answers).toHaveLength(8);
    expect(tokens(answers)).toBeLessThanOrEqual(1_650);
    const texts = answers.map(({ current_step: step }) => step?.content ?? null);
    const parts = [1, 2, 3, 4, 5, 6].map((part) => `Do part ${part}.`);
    expect(texts).toEqual([...parts, null, null]);
  });

  it('a retry: the challenge alone', async () => {
    const answers = await walk(0);
    const [retry] = answers.filter(({ error_code: code }) => code !== undefined);
    expect(retry).toMatchObject({ error_code: 'COMMAND_FAILED', challenge: { type: 'shell' } });
    expect(retry!.current_step).toEqual({ uri: expect.any(String), position: '2/6' });
  });
});
