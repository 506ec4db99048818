import { problemRule } from '../problem-rule.ts';
import { chain, shellBlock, step } from './support/example.ts';

/** Step blocks with a field missing or of the wrong kind. */
export const blockInvalid = problemRule('block-invalid', {
  family: 'block',
  severity: 'error',
  summary: 'A step block has the fields of its type, each of the right kind.',
  why: 'A demand that cannot be understood cannot be met or checked. The same schema judges a block here, at mint and in a run, so what passes here will be heard.',
  fixable: false,
  examples: () => [
    {
      title: 'A command that is missing',
      source: chain('Release', step('Test', 'Test it.', { proof_of_work: { type: 'shell', shell: {} } })),
      findings: [{ line: 8, column: 46 }],
    },
    {
      title: 'A number in quotes',
      source: chain('Release', step('Test', 'Test it.', shellBlock('npm test', { timeout_seconds: '60' }))),
      findings: [{ line: 8, column: 85 }],
    },
    {
      title: 'An invalid JSON Schema',
      source: chain(
        'Release',
        step('Read', 'Read it.', {
          proof_of_work: {
            type: 'mcp',
            mcp: { tool_name: 'read', server: 'files', result_schema: { type: 'objekt' } },
          },
        }),
      ),
      findings: [{ line: 8, column: 100 }],
    },
    {
      title: 'A whole block',
      source: chain('Release', step('Test', 'Test it.', shellBlock('npm test'))),
      findings: [],
    },
  ],
});
