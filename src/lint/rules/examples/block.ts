import { chain, commentBlock, fullStep, type RuleExamples, shellBlock, step } from './build.ts';

export const BLOCK_EXAMPLES: RuleExamples = {
  'block-bad-pattern': [
    {
      title: 'A look-ahead',
      source: chain(
        'Release',
        step('Test', 'Test it.', shellBlock('npm test', { stdout_matches: 'ok(?! but)' })),
      ),
      findings: { '8:107': null },
    },
    {
      title: 'A pattern of RE2',
      source: chain(
        'Release',
        step('Test', 'Test it.', shellBlock('npm test', { stdout_matches: '(?m)^[1-9][0-9]* passed$' })),
      ),
    },
  ],
  'block-duplicate': [
    {
      title: 'Two step blocks',
      source: chain(
        'Release',
        step('Test', 'Test it.', commentBlock(40)),
        '```json\n{"proof_of_work": {"type": "comment"}}\n```',
      ),
      findings: { '7:1': null },
    },
    {
      title: 'Two steps',
      source: chain(
        'Release',
        step('Test', 'Test it.', commentBlock(40)),
        step('Build', 'Build it.', commentBlock(40)),
      ),
    },
  ],
  'block-invalid': [
    {
      title: 'A command that is missing',
      source: chain('Release', step('Test', 'Test it.', { proof_of_work: { type: 'shell', shell: {} } })),
      findings: { '8:46': null },
    },
    {
      title: 'A number in quotes',
      source: chain('Release', step('Test', 'Test it.', shellBlock('npm test', { timeout_seconds: '60' }))),
      findings: { '8:85': null },
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
      findings: { '8:100': null },
    },
    { title: 'A whole block', source: chain('Release', step('Test', 'Test it.', shellBlock('npm test'))) },
  ],
  'block-nested': [
    {
      title: 'Inside a list',
      source: chain(
        'Release',
        step('Test', '1. Test it.\n\n   ```json\n   {"proof_of_work": {"type": "comment"}}\n   ```'),
      ),
      findings: { '7:4': null },
    },
    {
      title: 'Inside a comment',
      source: chain('Release', step('Test', '<!--\n{"proof_of_work": {"type": "comment"}}\n-->\n\nTest it.')),
      findings: { '6:1': null },
    },
    {
      title: 'Shorthand inside a comment',
      source: chain('Release', step('Test', '<!--\n```sh proof timeout=5s\nnpm test\n```\n-->\n\nTest it.')),
      findings: { '6:1': null },
    },
    {
      title: 'A proof line in a table',
      source: chain(
        'Release',
        step('Test', '| step | shown by |\n|---|---|\n| Test | PROOF OF WORK: npm test |'),
      ),
      findings: { '7:10': null },
    },
    { title: 'At the top level', source: chain('Release', step('Test', '1. Test it.', commentBlock(40))) },
  ],
  'block-not-last': [
    {
      title: 'An example after the demand',
      source: chain('Release', step('Test', 'Test it.', commentBlock(40)), 'It prints\n\n```text\nok\n```'),
      findings: { '7:1': null },
      fixed: chain(
        'Release',
        '## Test',
        'Test it.',
        'It prints\n\n```text\nok\n```',
        '```json\n{"proof_of_work": {"type": "comment", "comment": {"min_length": 40}}}\n```',
      ),
    },
    {
      title: 'The demand at the end, text after it',
      source: chain(
        'Release',
        step('Test', 'It prints\n\n```text\nok\n```', commentBlock(40)),
        'Then continue.',
      ),
    },
  ],
  'block-outside-step': [
    {
      title: 'Under the title',
      source: chain(
        'Release',
        '```json\n{"proof_of_work": {"type": "comment"}}\n```',
        step('Test', 'Test it.'),
      ),
      findings: { '3:1': null },
    },
    { title: 'Under the step', source: chain('Release', step('Test', 'Test it.', commentBlock(40))) },
  ],
  'block-pseudo-fence': [
    {
      title: 'A fence after a word',
      source: chain('Release', step('Test', 'Proof: ```json\n{"proof_of_work": {"type": "comment"}}\n```')),
      findings: { '5:8': null },
      fixed: chain('Release', step('Test', 'Proof:\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```')),
    },
    { title: 'A separate fence', source: chain('Release', step('Test', 'Proof:', commentBlock(40))) },
  ],
  'block-unclosed-fence': [
    {
      title: 'The closing line is missing',
      source:
        '# Release\n\n## Test\n\n```json\n{"proof_of_work": {"type": "comment"}}\n\n## Build\n\nBuild it.\n',
      findings: { '5:1': null },
    },
    {
      title: 'Closed',
      source: chain('Release', step('Test', 'Test it.', commentBlock(40)), step('Build', 'Build it.')),
    },
  ],
  'block-unfenced': [
    {
      title: 'JSON in the text',
      source: chain('Release', step('Test', 'Test it.\n\n{"proof_of_work": {"type": "comment"}}')),
      findings: { '7:1': null },
      fixed: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```'),
      ),
    },
    {
      title: 'In a fence, or as code in a sentence',
      source: chain('Release', step('Test', 'Written as `{"proof_of_work": …}`:', commentBlock(40))),
    },
  ],
  'step-too-long': [
    {
      title: 'A manual in one step',
      source: chain(
        'Restore the backup',
        step('Prepare', 'Read on.'),
        step('Restore', 'Compare the sizes. '.repeat(560).trim(), commentBlock(40)),
      ),
      findings: {
        '7:1':
          'Step 2, "Restore", has 11 kB of text, and some clients of agents cut more than 10 kB. Make several steps of it, or link to the details.',
      },
    },
    {
      title: 'The same in steps, with a link',
      source: chain(
        'Restore the backup',
        step('Compare the sizes', 'Compare them as in [the manual](https://example.com/restore).'),
        step('Restore', 'Load the dump.', commentBlock(40)),
      ),
    },
  ],
  'timeout-missing': [
    {
      title: 'Shorthand without a limit',
      source: chain('Release', step('Test', 'Run the tests.\n\n```sh proof\nnpm test\n```')),
      findings: {
        '7:1': 'The command has no timeout and is ended after 1m. Write down how long it may run.',
      },
      fixed: chain('Release', step('Test', 'Run the tests.\n\n```sh proof timeout=1m\nnpm test\n```')),
    },
    {
      title: 'In the full form',
      source: chain(
        'Release',
        fullStep('Test', 'Run the tests.', { proof_of_work: { type: 'shell', shell: { cmd: 'npm test' } } }),
      ),
      findings: {
        '8:47': 'The command has no timeout_seconds and is ended after 60 s. Write down how long it may run.',
      },
      fixed: chain(
        'Release',
        fullStep('Test', 'Run the tests.', {
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
      findings: { '11:5': null },
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
    },
  ],
  'timeout-too-short': [
    {
      title: 'A sleep longer than the limit',
      source: chain(
        'Watch',
        step('Wait', 'Wait five minutes.', shellBlock('sleep 300 && curl -f localhost')),
      ),
      findings: {
        '8:1':
          'This waits up to 300 seconds, but the step is ended after 60 s. Raise the timeout, or wait in a separate step.',
      },
    },
    {
      title: 'A limit of the tool that is larger',
      source: chain(
        'Deploy',
        step(
          'Wait',
          'Wait.',
          shellBlock('kubectl rollout status deployment/web --timeout=5m', { timeout_seconds: 120 }),
        ),
      ),
      findings: { '8:1': null },
    },
    {
      title: 'A wait that fits, and one that is not written down',
      source: chain(
        'Deploy',
        step('Wait', 'Wait.', shellBlock('kubectl rollout status deployment/web --timeout=50s')),
        step('Look', 'Look.', shellBlock('sleep "$PAUSE" && curl -f localhost')),
      ),
    },
  ],
};
