import { describe, expect, it } from 'vitest';
import { instructions } from '../../src/mcp/server/create-server.ts';
import { listing, toolsFor } from '../../src/mcp/tools/index.ts';
import type { ToolCallContext } from '../../src/mcp/tools/tool.ts';
import { nextTool } from '../../src/mcp/tools/walk.ts';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { TEMPLATE } from '../gate/support/walk.ts';
import { as, makeContext } from '../support/context.ts';
import { ALL_KINDS, protocolOf, type StepKind, stepOf } from '../support/protocols.ts';
import { rightAnswer, type Tools, walkLiterally, wrongAnswer } from '../support/walker.ts';

/** What a model pays in context. A token is four characters here. */
const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

/**
 * The size of an answer without the words of the author and the user: labels, the step's text, what the step demands, and the
 * values of inputs.
 */
function beside({ current_step: step, next_step: after, challenge, ...rest }: RunFields): number {
  const next_step = after == null ? after : { ...after, label: '' };
  const asked = Object.entries(challenge ?? {}).filter(([, value]) => typeof value !== 'object');
  return JSON.stringify({
    ...rest,
    next_step,
    current_step: { ...step, label: '', content: '' },
    challenge: challenge == null ? null : Object.fromEntries(asked),
  }).length;
}

const SIX: readonly StepKind[] = ['none', 'shell', 'mcp', 'user_input', 'comment', 'shell'];

async function walk(markdown: string, { wrong = null as number | null, execute = false } = {}) {
  const shared = await makeContext(execute ? { over: { leaves: async () => null } } : {});
  const maximumAssurance = {
    ...shared.caller.maximumAssurance,
    user_input: 'client',
    sampling: 'client',
  } as const;
  const ctx = as(shared, { interface: 'mcp', maximumAssurance });
  const { items } = await mint(ctx, { markdown_doc: markdown });
  if (execute) {
    const { digest, chainId } = (await ctx.store.listChains([ctx.caller.space]))[0]!;
    await ctx.trust.grant({ digest, chainId, slug: 'x', title: 'x', trustedAt: '', by: 'ada' } as never);
  }
  const call = {
    ctx,
    runner: null,
    elicitation: { next: (input: never, go: (given: never) => object) => go(input) },
  };
  const tools = {
    begin: (input: never) => begin(ctx, input),
    next: async (input: never) => {
      const answer = await nextTool.call(call as unknown as ToolCallContext, input);
      // Nothing runs commands here.
      return execute && 'error_code' in answer ? { ...answer, next_action: null } : answer;
    },
    attest: (input: never) => attest(ctx, input),
    // The walk ends at the gate.
    propose: () => ({ must_obey: true, next_action: null }),
  } as unknown as Tools;
  const { answers } = await walkLiterally(tools, items[0]!.uri, {
    convention: 'as-told',
    solve: (challenge, at) => (at === wrong ? wrongAnswer(challenge) : rightAnswer(challenge, at)),
  });
  return answers;
}

const ofSteps = (answers: readonly RunFields[]) =>
  answers.slice(1).filter(({ protocol_status: status }) => status === 'continue');

/** An input that every command gets. */
const INPUTS = '---\ninputs:\n  TARGET_HOST:\n    description: Where\n    default: lb1\n---\n';

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

  it.each([
    ['without inputs', ''],
    ['with inputs', INPUTS],
  ])(
    "a step's answer to kairos_next %s: at most 700 characters without the words of the author",
    async (_, head) => {
      const answers = ofSteps(
        await walk(head + protocolOf(['none', ...ALL_KINDS, 'none', 'none'], 'Every kind')),
      );
      const types = answers.map(({ challenge }) => challenge?.type);
      expect([...new Set(types)].sort()).toEqual(['comment', 'mcp', 'sampling', 'shell', 'user_input']);
      expect(Math.max(...answers.map(beside))).toBeLessThanOrEqual(700);
    },
  );

  it('an answer to kairos_next of a server that runs commands: at most 700 characters likewise', async () => {
    const [, shown] = await walk(protocolOf(['none', 'shell', 'none'], 'A command'), { execute: true });
    expect(shown!.next_action).toContain('no solution -- this server runs the command itself');
    expect(beside(shown!)).toBeLessThanOrEqual(700);
  });

  it('an answer to kairos_next that shows a gated step: at most 700 characters likewise', async () => {
    const proof_of_work = { type: 'shell', shell: { cmd: 'crm-update' } };
    const block = { proof_of_work, proposal: { ...TEMPLATE, preconditions: [], evidence_bindings: [] } };
    const steps = [
      stepOf('Look', 'Look.', { proof_of_work }),
      stepOf('Do', 'Do it.', block),
      stepOf('End', 'End.', null),
    ];
    const answers = await walk(`# Gated\n\n${steps.join('\n')}`);
    const gated = answers.at(-2)!;
    expect(gated.challenge).toMatchObject({ type: 'proposal', proposal_draft: expect.any(Object) });
    expect(beside(gated)).toBeLessThanOrEqual(700);
  });

  it('a run of six steps: its answers, and each text once', async () => {
    const answers = await walk(protocolOf(SIX, 'Six'));
    expect(answers).toHaveLength(8);
    expect(ofSteps(answers)).toHaveLength(5);
    expect(tokens(answers)).toBeLessThanOrEqual(1_500);
    const texts = answers.map(({ current_step: step }) => step?.content ?? null);
    const parts = [1, 2, 3, 4, 5, 6].map((part) => `Do part ${part}.`);
    expect(texts).toEqual([...parts, null, null]);
  });

  it('a retry: the challenge alone', async () => {
    const answers = await walk(protocolOf(SIX, 'Six'), { wrong: 0 });
    const [retry] = answers.filter(({ error_code: code }) => code !== undefined);
    expect(retry).toMatchObject({ error_code: 'COMMAND_FAILED', challenge: { type: 'shell' } });
    expect(retry!.current_step).toEqual({ uri: expect.any(String), position: '2/6' });
  });
});
