import { chain, type RuleExamples, step } from './build.ts';

const RULE = '## Completion Rule\n\nThe registry serves the new version.';
const TRIGGERS = '## Natural Language Triggers\n\n- "ship it"';

const INPUTS = '---\ninputs:\n  HOST: { description: Host to drain }\n---\n';

export const TRIGGER_EXAMPLES: RuleExamples = {
  'completion-rule-misplaced': [
    {
      title: 'A step that was added at the end',
      source: chain(
        'Release a package',
        step('Publish it', 'Upload the package.'),
        RULE,
        step('Inform the users', 'Write the announcement.'),
      ),
      findings: {
        '7:1': 'Step 2, "Inform the users", comes after the Completion Rule. Move the rule to the end.',
      },
    },
    {
      title: 'The rule at the end, triggers even after it',
      source: chain(
        'Release a package',
        step('Publish it', 'Upload the package.'),
        RULE,
        '## Natural Language Triggers\n\n- "ship it"',
      ),
    },
  ],
  'completion-rule-missing': [
    {
      title: 'A chain that just stops',
      source: chain('Release a package', TRIGGERS, step('Publish it', 'Upload the package.')),
      findings: { '1:1': null },
    },
    {
      title: 'A chain with a completion rule',
      source: chain('Release a package', TRIGGERS, step('Publish it', 'Upload the package.'), RULE),
    },
  ],
  'reference-not-replaced': [
    {
      title: 'An input in titles and the description',
      source: `${INPUTS}${chain('Drain {{HOST}}', 'This drains {{HOST}}.', step('Drain {{ HOST }}', 'Drain {{HOST}}.'))}`,
      findings: { '5:9': null, '7:13': null, '9:10': null },
    },
    {
      title: 'In the proposal of a step whose argument gets the value',
      source: `${INPUTS}${chain(
        'Drain',
        step('Drain', 'Drain {{HOST}}.', {
          proof_of_work: { type: 'mcp', mcp: { tool_name: 'drain', arguments: { host: '{{HOST}}' } } },
          proposal: { target: { resource_type: 'host', resource_id: '{{HOST}}' } },
        }),
      )}`,
      findings: {
        '12:167':
          "{{HOST}} isn't replaced in `resource_id`, so people and tools get the braces. Name what it stands for in words, and put the reference into the text of a step.",
      },
    },
    {
      title: 'In the text of a step, and braces of another tool in a title',
      source: `${INPUTS}${chain('Drain', step('Drain with {{helm}}', 'Drain {{HOST}}.'))}`,
    },
  ],
  'trigger-shared': [
    {
      title: 'Two protocols for the same words',
      source: chain(
        'Release a package',
        '## Natural Language Triggers\n\n- "ship it"\n- "publish to npm"',
        step('Publish it', 'Upload it.'),
      ),
      others: [
        {
          path: 'deploy.md',
          source: chain(
            'Deploy the site',
            '## Natural Language Triggers\n\n- Ship it',
            step('Upload', 'Copy it.'),
          ),
        },
      ],
      findings: {
        '3:1':
          'The trigger "ship it" also belongs to "Deploy the site" in deploy.md. Describe in one of them what is special about it.',
      },
    },
    {
      title: 'Different words',
      source: chain(
        'Release a package',
        '## Natural Language Triggers\n\n- "ship the package"',
        step('Publish it', 'Upload it.'),
      ),
      others: [
        {
          path: 'deploy.md',
          source: chain(
            'Deploy the site',
            '## Natural Language Triggers\n\n- ship the site',
            step('Upload', 'Copy it.'),
          ),
        },
      ],
    },
  ],
  'triggers-empty': [
    {
      title: 'A section that was never filled',
      source: chain(
        'Release a package',
        '## Natural Language Triggers\n\n<!-- phrases -->\n\n- ',
        step('Publish it', 'Upload the package.'),
      ),
      findings: { '3:1': null },
    },
    {
      title: 'Phrases in a list, in any script',
      source: chain(
        'パッケージを公開する',
        '## Natural Language Triggers\n\n- リリースする',
        step('公開', 'アップロードする。'),
      ),
    },
  ],
  'triggers-misplaced': [
    {
      title: 'Triggers between two steps',
      source: chain(
        'Release a package',
        step('Test it', 'Run the tests.'),
        TRIGGERS,
        step('Publish it', 'Upload the package.'),
      ),
      findings: { '7:1': 'The Natural Language Triggers are after step 1. Move them before the first step.' },
    },
    {
      title: 'Triggers first',
      source: chain('Release a package', TRIGGERS, step('Publish it', 'Upload the package.')),
    },
  ],
  'triggers-missing': [
    {
      title: 'Only a title',
      source: chain('Release a package', step('Publish it', 'Upload the package.')),
      findings: { '1:1': null },
    },
    {
      title: 'A chain with triggers',
      source: chain('Release a package', TRIGGERS, step('Publish it', 'Upload the package.')),
    },
  ],
};
