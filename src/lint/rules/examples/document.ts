import { chain, commentBlock, type RuleExamples, shellBlock, step } from './build.ts';

const TRIGGERS = 'Natural Language Triggers';
const COMPLETION = 'Completion Rule';

export const DOCUMENT_EXAMPLES: RuleExamples = {
  'directive-unknown': [
    {
      title: 'A slip in the name of a rule',
      source:
        '# Restart the service\n\n<!-- kairos-disable-file step-without-prof -- a drill -->\n\n## Do it\n\nNow.\n',
      findings: { '3:26': 'There is no rule named step-without-prof. Did you mean step-without-proof?' },
      fixed:
        '# Restart the service\n\n<!-- kairos-disable-file step-without-proof -- a drill -->\n\n## Do it\n\nNow.\n',
    },
    {
      title: 'A directive that does not exist',
      source:
        '# Restart the service\n\n<!-- kairos-disable-line step-without-proof -- a drill -->\n\n## Do it\n\nNow.\n',
      findings: { '3:6': null },
      fixed:
        '# Restart the service\n\n<!-- kairos-disable-file step-without-proof -- a drill -->\n\n## Do it\n\nNow.\n',
    },
    {
      title: 'A directive that disables nothing in particular',
      source: '# Restart the service\n\n<!-- kairos-disable -- noise -->\n\n## Do it\n\nNow.\n',
      findings: { '3:6': 'kairos-disable names no rule, so it does nothing. Name the rules.' },
      fixed: '# Restart the service\n\n## Do it\n\nNow.\n',
    },
    {
      title: 'A comment for people, and a directive as it should be',
      source:
        '# Restart the service\n\n<!-- Ask kairos-team first. -->\n\n<!-- kairos-disable-file step-without-proof -- a drill -->\n\n## Do it\n\nNow.\n',
    },
  ],
  'directive-unused': [
    {
      title: 'Nothing is wrong in the next line',
      source:
        '# Restart the service\n\n<!-- kairos-disable-next-line hidden-character -- an example -->\nRestart it.\n\n## Do it\n\nNow.\n',
      findings: { '3:1': 'Nothing here is suppressed for hidden-character. Remove the directive.' },
      fixed: '# Restart the service\n\nRestart it.\n\n## Do it\n\nNow.\n',
    },
    { title: 'No directive', source: '# Restart the service\n\n## Do it\n\nNow.\n' },
  ],
  'directive-without-reason': [
    {
      title: 'An exception without a reason',
      source:
        '# Restart the service\n\n<!-- kairos-disable-file step-without-proof -->\n\n## Do it\n\nNow.\n',
      findings: { '3:1': null },
    },
    {
      title: 'An exception with its reason',
      source:
        '# Restart the service\n\n<!-- kairos-disable-file step-without-proof -- a drill, nothing is at stake -->\n\n## Do it\n\nNow.\n',
    },
  ],
  'duplicate-section': [
    {
      title: 'Two completion rules',
      source: chain(
        'Restart',
        step('Restart it', 'Now.'),
        '## Completion Rule\n\nIt runs.',
        '## Completion rule\n\nIt answers.',
      ),
      findings: { '11:1': null },
    },
    {
      title: 'One of each',
      source: chain(
        'Restart',
        '## Natural Language Triggers\n\n- restart it',
        step('Restart it', 'Now.'),
        '## Completion Rule\n\nIt runs.',
      ),
    },
  ],
  'duplicate-step-title': [
    {
      title: 'The same title twice',
      source: chain(
        'Deploy',
        step('Check the health', 'Before.'),
        step('Deploy', 'Do it.'),
        step('Check the  Health', 'After.'),
      ),
      findings: {
        '11:1':
          'Step 3 is called "Check the Health" like step 1. Describe in the title what is different about it.',
      },
    },
    {
      title: 'Titles that differ, and the same title in another chain',
      source: `${chain('Deploy', step('Check before', 'Look.'), step('Check after', 'Look.'))}\n${chain('Roll back', step('Check before', 'Look.'))}`,
    },
  ],
  'heading-too-long': [
    {
      title: 'A paragraph as a title',
      source: `# ${'Very '.repeat(250)}long\n\n## Restart it\n\nNow.\n`,
      findings: { '1:1': null },
    },
    { title: 'A title', source: chain('Restart the service', step('Restart it', 'Now.')) },
  ],
  'heading-without-space': [
    {
      title: 'A step without the space',
      source: `${chain('Release', step('Test', 'Test it.'))}\n##Approve\n\nAsk the owner.\n`,
      findings: { '7:1': null },
      fixed: `${chain('Release', step('Test', 'Test it.'))}\n## Approve\n\nAsk the owner.\n`,
    },
    {
      title: 'A tag, and marks that are text',
      source: chain('Release', step('Test', 'Test it. #todo\n\n\\##Approve')),
    },
  ],
  'no-h1': [
    {
      title: 'Steps, but no name',
      source: '## Run the tests\n\nOn a clean tree.\n',
      findings: { '1:1': null },
    },
    { title: 'A named protocol', source: '# Release a package\n\n## Run the tests\n\nOn a clean tree.\n' },
    {
      title: 'A heading underlined with equals signs counts as well',
      source: 'Release a package\n=================\n\n## Run the tests\n\nOn a clean tree.\n',
    },
  ],
  'no-steps': [
    {
      title: 'Only a title and a text',
      source: chain('Restart the service', 'Do it carefully.'),
      findings: { '1:1': null },
    },
    {
      title: 'Third-level headings are part of a step, not steps',
      source: chain('Restart the service', '### Restart it', 'Now.'),
      findings: { '1:1': null },
    },
    { title: 'A step', source: chain('Restart the service', step('Restart it', 'Now.')) },
  ],
  'section-name-near': [
    {
      title: 'A shorter name and a plural',
      source: chain(
        'Ship',
        '## Triggers\n\n- "ship it"',
        step('Build', 'Build it.'),
        '## Completion Rules\n\nIt is out.',
      ),
      findings: {
        '3:1':
          '"Triggers" is a step here. To make it the section that kairos reads, name it "Natural Language Triggers".',
        '11:1': null,
      },
      fixed: chain(
        'Ship',
        `## ${TRIGGERS}\n\n- "ship it"`,
        step('Build', 'Build it.'),
        `## ${COMPLETION}\n\nIt is out.`,
      ),
    },
    {
      title: 'The names that kairos reads, and a step with a proof',
      source: chain(
        'Ship',
        `## ${TRIGGERS}\n\n- "ship it"`,
        step('Completion', 'Close it.', { proof_of_work: { type: 'comment' } }),
        `## ${COMPLETION}\n\nIt is out.`,
      ),
    },
  ],
  'slug-with-several-chains': [
    {
      title: 'One slug, two chains',
      source: `---\nslug: deploy\n---\n${chain('Deploy', step('Do', 'It.'))}\n${chain('Roll back', step('Undo', 'It.'))}`,
      findings: { '1:1': null },
    },
    {
      title: 'Chains that are named after their titles',
      source: `${chain('Deploy', step('Do', 'It.'))}\n${chain('Roll back', step('Undo', 'It.'))}`,
    },
  ],
  'step-empty': [
    {
      title: 'A title, and nothing else',
      source: chain(
        'Restore the backup',
        step('Prepare', ''),
        step('Restore', 'Load the dump.', commentBlock(40)),
      ),
      findings: {
        '3:1':
          'Step 1, "Prepare", has a title and no text. Describe what to do, and how to see that it is done.',
      },
    },
    {
      title: 'A comment is required, and its subject is unknown',
      source: chain('Restore the backup', step('Prepare', '<!-- later -->', commentBlock(40))),
      findings: { '3:1': null },
    },
    {
      title: 'A command that shows what is done',
      source: chain('Release', step('Run the tests', '', shellBlock('npm test'))),
    },
  ],
  'text-before-h1': [
    {
      title: 'An introduction above the title',
      source: `Read this first.\n\n${chain('Restart', step('Restart it', 'Now.'))}`,
      findings: { '1:1': null },
    },
    {
      title: 'Frontmatter and a comment above the title',
      source: `---\nslug: restart\n---\n<!-- Kept by operations. -->\n\n${chain('Restart', 'Read this first.', step('Restart it', 'Now.'))}`,
    },
  ],
};
