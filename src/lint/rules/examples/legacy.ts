import { chain, commentBlock, fullStep, type RuleExamples, shellBlock, step } from './build.ts';

export const LEGACY_EXAMPLES: RuleExamples = {
  'legacy-challenge-key': [
    {
      title: 'The older name',
      source: chain(
        'Release',
        step('Test', 'Test it.', { challenge: { type: 'comment', comment: { min_length: 40 } } }),
      ),
      findings: { '8:2': null },
      fixed: chain('Release', step('Test', 'Test it.', commentBlock(40))),
    },
    {
      title: 'In YAML',
      source: chain('Release', step('Test', 'Test it.\n\n```yaml\nchallenge:\n  type: comment\n```')),
      findings: { '8:1': null },
      fixed: chain('Release', step('Test', 'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n```')),
    },
    { title: 'The name of today', source: chain('Release', step('Test', 'Test it.', commentBlock(40))) },
  ],
  'legacy-flat-shell': [
    {
      title: 'The flat form',
      source: chain(
        'Release',
        step('Test', 'Test it.', { proof_of_work: { cmd: 'npm test', timeout_seconds: 60 } }),
      ),
      findings: { '8:20': null },
      fixed: chain('Release', fullStep('Test', 'Test it.', shellBlock('npm test'))),
    },
    {
      title: 'In YAML, with more keys',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```yaml\nproof_of_work:\n  cmd: npm test\n  required: false\n```'),
      ),
      findings: { '9:3': null },
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: shell\n  shell:\n    cmd: npm test\n  required: false\n```',
        ),
      ),
    },
    { title: 'The object', source: chain('Release', fullStep('Test', 'Test it.', shellBlock('npm test'))) },
  ],
  'legacy-interpreter-flags': [
    {
      title: 'The flag that hands the command over',
      source: chain(
        'Check',
        step('Check', 'Check it.', shellBlock('print(1)', { interpreter: 'python', flags: ['-c'] })),
      ),
      findings: { '8:114': null },
      fixed: chain(
        'Check',
        fullStep('Check', 'Check it.', shellBlock('print(1)', { interpreter: 'python' })),
      ),
    },
    {
      title: 'Only an interpreter',
      source: chain('Check', step('Check', 'Check it.', shellBlock('print(1)', { interpreter: 'python3' }))),
    },
  ],
  'legacy-missing-type': [
    {
      title: 'Only an object',
      source: chain('Release', step('Test', 'Test it.', { proof_of_work: { comment: { min_length: 40 } } })),
      findings: { '8:19': null },
      fixed: chain('Release', step('Test', 'Test it.', commentBlock(40))),
    },
    {
      title: 'Over several lines',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{\n  "proof_of_work": {\n    "comment": {}\n  }\n}\n```'),
      ),
      findings: { '9:20': null },
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```json\n{\n  "proof_of_work": {\n    "type": "comment",\n    "comment": {}\n  }\n}\n```',
        ),
      ),
    },
    {
      title: 'In YAML',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```yaml\nproof_of_work:\n  comment:\n    min_length: 40\n```'),
      ),
      findings: { '9:3': null },
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n  comment:\n    min_length: 40\n```',
        ),
      ),
    },
    { title: 'With its type', source: chain('Release', step('Test', 'Test it.', commentBlock(40))) },
  ],
  'legacy-proof-line': [
    {
      title: 'A command with its time',
      source: chain('Release', step('Test', 'Test it.\n\nPROOF OF WORK: timeout 30s npm test')),
      findings: { '7:1': null },
      fixed: chain('Release', step('Test', 'Test it.\n\n```sh proof timeout=30s\nnpm test\n```')),
    },
    {
      title: 'An item of a list, with code after it',
      source: chain(
        'Release',
        step('Test', '- Test it.\n- **PROOF OF WORK:** comment min_length=40\n\n```text\nok\n```'),
      ),
      findings: { '6:1': null },
      fixed: chain(
        'Release',
        step(
          'Test',
          '- Test it.\n\n```text\nok\n```\n\n```json\n{\n  "proof_of_work": {\n    "type": "comment",\n    "comment": {\n      "min_length": 40\n    }\n  }\n}\n```',
        ),
      ),
    },
    {
      title: 'Words behind the command, which stay as text',
      source: chain('Release', step('Test', 'Test it.\n\nProof of work: `npm test` shows green')),
      findings: { '7:1': null },
      fixed: chain(
        'Release',
        step('Test', 'Test it.\n\nshows green\n\n```sh proof timeout=1m\nnpm test\n```'),
      ),
    },
    {
      title: 'A sentence that begins with the same words',
      source: chain('Release', step('Test', 'Proof of work: run `npm test` and look.')),
      findings: { '5:1': null },
    },
    {
      title: 'A step block, and the words in a sentence',
      source: chain('Release', step('Test', 'The proof of work is the exit code.', shellBlock('npm test'))),
    },
  ],
};
