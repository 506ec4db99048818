import type { Rule } from '../rule.ts';
import { insertAfter } from './support/edit-block.ts';
import { chain, step } from './support/example.ts';
import { isWritten, keyPlaceOf, writtenPath } from './support/written.ts';

const CMD = ['proof_of_work', 'shell', 'cmd'];
const TIMEOUT = ['proof_of_work', 'shell', 'timeout_seconds'];

/** Commands that are ended after a minute without anybody having decided so. */
export const timeoutMissing: Rule = {
  id: 'timeout-missing',
  family: 'proof',
  severity: 'info',
  summary: 'A command says how long it may take.',
  why: 'Without timeout_seconds a command is ended after 60 seconds, which breaks a build on a slow day and is far too long for a check that ought to answer at once. A number that is written down has been thought about.',
  fixable: 'safe',
  get examples() {
    return [
      {
        title: 'A command without a limit',
        source: chain(
          'Release',
          step('Test', 'Run the tests.', { proof_of_work: { type: 'shell', shell: { cmd: 'npm test' } } }),
        ),
        findings: [
          {
            line: 8,
            column: 47,
            reason:
              'The command has no timeout_seconds and is ended after 60. Write down how long it may take.',
          },
        ],
        fixed: chain(
          'Release',
          step('Test', 'Run the tests.', {
            proof_of_work: { type: 'shell', shell: { cmd: 'npm test', timeout_seconds: 60 } },
          }),
        ),
      },
      {
        title: 'In YAML',
        source: chain(
          'Release',
          step(
            'Test',
            'Run.\n\n```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: npm test\n    env: [CI]\n```',
          ),
        ),
        findings: [{ line: 11, column: 5 }],
        fixed: chain(
          'Release',
          step(
            'Test',
            'Run.\n\n```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: npm test\n    timeout_seconds: 60\n    env: [CI]\n```',
          ),
        ),
      },
      {
        title: 'A command with a limit',
        source: chain(
          'Release',
          step('Test', 'Run the tests.', {
            proof_of_work: { type: 'shell', shell: { cmd: 'npm test', timeout_seconds: 600 } },
          }),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block === null || block.format === 'line' || block.value.proof_of_work?.type !== 'shell') continue;
      if (isWritten(block, TIMEOUT)) continue;
      const { timeout_seconds } = block.value.proof_of_work.shell;
      const isFlat = writtenPath(block, CMD).length < CMD.length;
      // A flat block gets its object first.
      const fix = isFlat ? undefined : insertAfter(context, block, CMD, 'timeout_seconds', timeout_seconds);
      context.report({
        place: keyPlaceOf(context, block, CMD),
        reason: `The command has no timeout_seconds and is ended after ${timeout_seconds}. Write down how long it may take.`,
        ...(fix === undefined ? {} : { fix: { ...fix, safe: true } }),
      });
    }
  },
};
