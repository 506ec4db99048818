import { describe, expect, it } from 'vitest';
import { type AttestInput, attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import { propose } from '../../src/operations/propose.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext, type TestContext } from '../support/context.ts';
import { stepOf } from '../support/protocols.ts';
import { rightAnswer, type Tools, walkLiterally, wrongAnswer } from '../support/walker.ts';

const TARGET = { resource_type: 'switch', resource_id: 'main', domain: 'house.example', constraints: {} };
const GUARD = {
  action_type: 'write',
  target: TARGET,
  preconditions: [{ field: 'exit_code', operator: 'eq', value: 0, evidence_ref: 'step:1' }],
  rollback_semantics: { strategy: 'command', command: 'switch-back' },
};
const PROOFS: Record<string, object> = {
  shell: { type: 'shell', shell: { cmd: 'switch-on' } },
  mcp: { type: 'mcp', mcp: { tool_name: 'switch_on' } },
  user_input: { type: 'user_input', user_input: { prompt: 'Is it on?' } },
  comment: { type: 'comment', comment: { min_length: 20 } },
};
const TYPES = Object.keys(PROOFS);

function document(types: readonly string[], required: boolean): string {
  const look = { proof_of_work: { type: 'shell', shell: { cmd: 'look' } } };
  const steps = types.map((type, at) =>
    stepOf(`Switch ${at + 1}`, 'Switch it on.', {
      proof_of_work: { ...PROOFS[type], required },
      proposal: GUARD,
    }),
  );
  return `# Switches ${types.join(' ')} ${required}\n\n${stepOf('Look', 'Look first.', look)}\n${steps.join('\n')}`;
}

function toolsOf(ctx: TestContext): Tools {
  return {
    begin: async (input) => (await begin(ctx, input)) as RunFields,
    next: (input) => next(ctx, input, { assurance: 'observed' }),
    attest: (input) => attest(ctx, input as AttestInput),
    propose: (input) => propose(ctx, input),
  };
}

describe('an agent that follows next_action literally, through gated steps', () => {
  const rows = TYPES.map((first, at) => [first, TYPES[(at + 1) % TYPES.length]!] as const);

  it.each(rows)('%s and %s: reaches the end, immediately or after failures', async (first, second) => {
    for (const required of [true, false]) {
      for (const wrong of [false, true]) {
        for (const convention of ['as-told', 'pending'] as const) {
          const ctx = await makeContext();
          const { items } = await mint(ctx, { markdown_doc: document([first, second], required) });
          let failures = 0;
          const { answers } = await walkLiterally(toolsOf(ctx), items[0]!.uri, {
            convention,
            solve: (challenge, call) => {
              // Each gated step fails once before it is done.
              const fails = wrong && call > 0 && call % 2 === 1 && failures < 2;
              if (fails) failures += 1;
              return fails ? wrongAnswer(challenge) : rightAnswer(challenge, call);
            },
          });
          expect(answers.at(-1)).toMatchObject({ next_action: null, total_rated: 1 });
          const said = answers.map(({ message }) => message ?? '').join('\n');
          // The offer is a remark and never what is to be done next.
          expect(said.includes('kairos rollback')).toBe(wrong);
          expect(answers.some(({ next_action }) => next_action?.includes('rollback') === true)).toBe(false);
        }
      }
    }
  });
});
