import { problemRule } from '../problem-rule.ts';
import { blockAround } from './support/blocks.ts';
import { chain, shellBlock, step } from './support/example.ts';
import { nestFlatShell } from './support/flat-shell.ts';

/** Commands right in the proof. */
export const legacyFlatShell = problemRule('legacy-flat-shell', {
  family: 'block',
  severity: 'warning',
  summary: 'A command is in an object named after its type.',
  why: 'The flat form is from a time when there were only commands. With today’s fields it does not show which keys belong to the command and which to the proof.',
  fixable: 'safe',
  examples: () => [
    {
      title: 'The flat form',
      source: chain(
        'Release',
        step('Test', 'Test it.', { proof_of_work: { cmd: 'npm test', timeout_seconds: 60 } }),
      ),
      findings: [{ line: 8, column: 20 }],
      fixed: chain('Release', step('Test', 'Test it.', shellBlock('npm test'))),
    },
    {
      title: 'In YAML, with more keys',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```yaml\nproof_of_work:\n  cmd: npm test\n  required: false\n```'),
      ),
      findings: [{ line: 9, column: 3 }],
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: npm test\n  required: false\n```',
        ),
      ),
    },
    {
      title: 'The object',
      source: chain('Release', step('Test', 'Test it.', shellBlock('npm test'))),
      findings: [],
    },
  ],
  fix({ place }, context) {
    const block = blockAround(context, place);
    const fix = block === null ? undefined : nestFlatShell(context, block);
    return fix === undefined ? undefined : { ...fix, safe: true };
  },
});
