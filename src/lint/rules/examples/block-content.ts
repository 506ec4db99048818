import { chain, commentBlock, fullStep, gatedExample, type RuleExamples, shellBlock, step } from './build.ts';

const target = (constraints: object) => ({ target: { resource_type: 'record', constraints } });
const withOutputs = (...outputs: object[]) => ({ ...shellBlock('make'), outputs });

export const BLOCK_CONTENT_EXAMPLES: RuleExamples = {
  'block-unknown-key': [
    {
      title: 'A key by nearly the right name',
      source: chain(
        'Release',
        step('Test', 'Test it.', {
          proof_of_work: { type: 'shell', shell: { cmd: 'npm test', timeout_second: 60 } },
        }),
      ),
      findings: { '8:66': null },
      fixed: chain('Release', fullStep('Test', 'Test it.', shellBlock('npm test'))),
    },
    {
      title: 'A misspelt proof_of_work',
      source: chain(
        'Release',
        step('Test', 'Test it.', { 'proof-of-work': { type: 'comment', comment: { min_length: 40 } } }),
      ),
      findings: { '8:2': null },
      fixed: chain('Release', step('Test', 'Test it.', commentBlock(40))),
    },
    {
      title: 'In YAML',
      source: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n  coment:\n    min_length: 40\n```',
        ),
      ),
      findings: { '10:3': null },
      fixed: chain(
        'Release',
        step(
          'Test',
          'Test it.\n\n```yaml\nproof_of_work:\n  type: comment\n  comment:\n    min_length: 40\n```',
        ),
      ),
    },
    {
      title: 'Keys of a JSON Schema and of arguments are the author’s own',
      source: chain(
        'Release',
        step('Test', 'Call it.', {
          proof_of_work: {
            type: 'mcp',
            mcp: { tool_name: 'read', arguments: { any: 1 }, result_schema: { 'x-own': true } },
          },
        }),
      ),
    },
  ],
  'block-unreadable': [
    {
      title: 'A comma after the last item',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{"proof_of_work": {"type": "comment",}}\n```'),
      ),
      findings: { '8:38': null },
      fixed: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```'),
      ),
    },
    {
      title: 'Quotes of a word processor',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{“proof_of_work”: {"type": "comment"}}\n```'),
      ),
      findings: { '8:2': null },
    },
    {
      title: 'A bracket too few, in YAML',
      source: chain('Release', step('Test', 'Test it.\n\n```yaml\nproof_of_work: {type: comment\n```')),
      findings: { '8:30': null },
    },
    {
      title: 'A block that can be read, and other JSON that cannot',
      source: chain('Release', step('Test', 'It prints\n\n```json\n{"broken": \n```', commentBlock(40))),
    },
  ],
  'block-wrong-language': [
    {
      title: 'No tag',
      source: chain('Release', step('Test', 'Test it.\n\n```\n{"proof_of_work": {"type": "comment"}}\n```')),
      findings: { '7:1': null },
      fixed: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```'),
      ),
    },
    {
      title: 'Another tag',
      source: chain('Release', step('Test', 'Test it.\n\n~~~~ yml\nproof_of_work:\n  type: comment\n~~~~')),
      findings: { '7:1': null },
      fixed: chain('Release', step('Test', 'Test it.\n\n~~~~ yaml\nproof_of_work:\n  type: comment\n~~~~')),
    },
    {
      title: 'An example that demands nothing',
      source: chain(
        'Write',
        step(
          'Write',
          'Like this:\n\n````markdown\n```json\n{"proof_of_work": {"type": "comment"}}\n```\n````',
        ),
      ),
    },
  ],
  'capture-unusable': [
    {
      title: 'An answer of a command',
      source: chain(
        'Release',
        step('Tag', 'Tag it.', {
          ...shellBlock('git describe'),
          captures: [{ name: 'TAG', from: 'answer' }],
        }),
      ),
      findings: { '8:118': null },
    },
    {
      title: 'A variable that decides which programs run',
      source: chain(
        'Release',
        step('Tag', 'Tag it.', {
          ...shellBlock('git describe'),
          captures: [{ name: 'PATH', from: 'stdout' }],
        }),
      ),
      findings: { '8:118': null },
    },
    {
      title: 'Output of a command',
      source: chain(
        'Release',
        step('Tag', 'Tag it.', {
          ...shellBlock('git describe'),
          captures: [{ name: 'TAG', from: 'stdout' }],
        }),
      ),
    },
  ],
  'constraint-unknown': [
    {
      title: 'A slip',
      source: gatedExample(target({ allowed_field: ['email'] })),
      findings: {
        '24:93':
          'The constraint "allowed_field" is denied wherever no policy registers it. Did you mean allowed_fields?',
      },
    },
    { title: 'A known constraint', source: gatedExample(target({ allowed_fields: ['email'] })) },
  ],
  'output-contradiction': [
    {
      title: 'A file that must be absent and have content',
      source: chain(
        'Build',
        step('Build', 'Build it.', withOutputs({ path: 'old.js', exists: false, matches: 'x' })),
      ),
      findings: {
        '8:128':
          'old.js must not exist and must satisfy "matches", which cannot both be true. Remove one of them.',
      },
    },
    {
      title: 'A file that must be gone, and one with content',
      source: chain(
        'Build',
        step(
          'Build',
          'Build.',
          withOutputs({ path: 'old.js', exists: false }, { path: 'new.js', exists: true, matches: 'x' }),
        ),
      ),
    },
  ],
};
