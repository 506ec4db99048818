import { describe, expect, it } from 'vitest';
import { demandRows, demandsOf } from '../../../src/cli/views/demand.ts';
import type { StepContent } from '../../../src/protocol/model.ts';

describe('demandRows', () => {
  it('shows every key of a command', () => {
    expect(
      demandRows({
        type: 'shell',
        required: false,
        assurance: 'observed',
        shell: {
          cmd: 'npm test',
          timeout_seconds: 90,
          workdir: 'sub',
          env: ['CI', 'HOME'],
          expect_exit_code: 3,
          stdout_matches: 'ok',
          interactive: true,
        },
        outputs: [{ path: 'dist/*.js', exists: true }],
      }),
    ).toEqual([
      ['demands', 'a command (optional)'],
      ['command', 'npm test'],
      ['timeout', '90 s'],
      ['directory', 'sub'],
      ['environment', 'CI, HOME'],
      ['exit code', '3'],
      ['output matches', 'ok'],
      ['terminal', 'the command gets'],
      ['assurance', 'observed or better'],
      ['output', 'dist/*.js, exists true'],
    ]);
  });

  it('shows every key of a tool call, an answer, an account and a sampling', () => {
    expect([
      demandRows({
        type: 'mcp',
        mcp: { tool_name: 't', server: 's', arguments: { a: 1 }, expected_result: true },
      }),
      demandRows({
        type: 'user_input',
        user_input: { prompt: 'Sure?', choices: ['yes', 'no'], pattern: 'y.*' },
      }),
      demandRows({ type: 'comment', comment: { min_length: 40 } }),
      demandRows({
        type: 'sampling',
        sampling: {
          system: 'Be brief.',
          prompt: 'Sum up.',
          temperature: 0,
          top_p: 1,
          max_tokens: 9,
          output_schema: {},
        },
      }),
      demandRows({ type: 'proposal', proposal: { action_type: 'delete' } }),
    ]).toEqual([
      [
        ['demands', 'a tool call'],
        ['tool', 't'],
        ['server', 's'],
        ['arguments', '{\n  "a": 1\n}'],
        ['result', 'true'],
      ],
      [
        ['demands', 'an answer'],
        ['question', 'Sure?'],
        ['one of', '"yes", "no"'],
        ['matches', 'y.*'],
      ],
      [
        ['demands', 'a comment'],
        ['length', 'at least 40 characters'],
      ],
      [
        ['demands', "a model's answer"],
        ['system', 'Be brief.'],
        ['prompt', 'Sum up.'],
        ['answer schema', '{}'],
      ],
      [
        ['demands', 'an approved proposal'],
        ['proposal', '{\n  "action_type": "delete"\n}'],
      ],
    ]);
  });
});

describe('demandsOf', () => {
  const step = (block: StepContent['block']): StepContent => ({ label: 'x', body: '', block });

  it('knows what steps without a block ask for', () => {
    const comment = { type: 'comment', comment: { min_length: 10 }, required: true };
    expect(demandsOf({ steps: [step(null), step(null), step(null)] })).toEqual([null, comment, comment]);
    expect(demandsOf({ steps: [step(null)] })).toEqual([comment]);
  });

  it('keeps every demand of a step, so that no command hides behind a prompt for a model', () => {
    const proposal = { action_type: 'delete' } as const;
    const outputs = [{ path: 'a' }];
    const sampling = { system: 's', prompt: 'p', temperature: 0, top_p: 1, max_tokens: 1, output_schema: {} };
    const shell = { cmd: 'x', timeout_seconds: 60, expect_exit_code: 0 };
    expect(
      demandsOf({
        steps: [
          step({ proof_of_work: { type: 'shell', shell, required: true }, proposal, outputs }),
          step({ sampling }),
          step({ proof_of_work: { type: 'shell', shell, required: true }, sampling }),
        ],
      }),
    ).toEqual([
      { type: 'shell', shell, required: true, proposal, outputs },
      { type: 'sampling', required: true, sampling },
      { type: 'shell', shell, required: true, sampling },
    ]);
  });
});
