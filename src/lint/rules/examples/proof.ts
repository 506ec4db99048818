import { chain, type RuleExamples, shellBlock, step, userInputBlock } from './build.ts';

const withAssurance = (type: string, inner: object, assurance: string) => ({
  proof_of_work: { type, [type]: inner, assurance },
});
const mcp = (more: object) => ({
  proof_of_work: { type: 'mcp', mcp: { tool_name: 'read_text_file', ...more } },
});
const optional = (cmd: string) => {
  const { proof_of_work } = shellBlock(cmd);
  return { proof_of_work: { ...(proof_of_work as object), required: false } };
};
const SAMPLING = {
  system: 'You summarise logs.',
  prompt: 'Summarise.',
  output_schema: { type: 'object', required: ['text'] },
};

export const PROOF_EXAMPLES: RuleExamples = {
  'approval-after-command': [
    {
      title: 'Asked when it is done',
      source: chain(
        'Rotate the certificate',
        step('Swap it', 'Swap it.', shellBlock('nginx -s reload')),
        step(
          'Ask for it',
          'Ask the owner.',
          userInputBlock('May the certificate be swapped now?', { choices: ['swap it'] }),
        ),
      ),
      findings: {
        '16:67':
          'This asks for permission after the last command of the protocol (step 1), so a refusal stops nothing. Move the step before the command that it is about.',
      },
    },
    {
      title: 'Asked before, and a question about the result',
      source: chain(
        'Rotate the certificate',
        step('Ask for it', 'Ask the owner.', userInputBlock('May the certificate be swapped now?')),
        step('Swap it', 'Swap it.', shellBlock('nginx -s reload')),
        step('Look', 'Look at it.', userInputBlock('Does the browser show the new certificate?')),
        step('Count', 'Count them.', userInputBlock('Should all three hosts have it, and do they?')),
      ),
    },
  ],
  'assurance-out-of-reach': [
    {
      title: 'A comment cannot be observed',
      source: chain(
        'Review',
        step('Read it', 'Read the change.', withAssurance('comment', { min_length: 40 }, 'observed')),
      ),
      findings: {
        '8:83':
          'A comment is at best "client", never "observed": no solution of this step would be accepted. Lower the assurance, or let a command be the proof.',
      },
    },
    {
      title: 'A signature without a proposal to sign',
      source: chain(
        'Deploy',
        step(
          'Deploy',
          'Deploy it.',
          withAssurance('shell', { cmd: 'make deploy', timeout_seconds: 60 }, 'attested'),
        ),
      ),
      findings: {
        '8:106':
          'Only what a proposal asks an approver for can be "attested": no solution of this step would be accepted. Add a proposal, or lower the assurance to "observed".',
      },
    },
    {
      title: 'An observed command and an answer through an interface for people',
      source: chain(
        'Deploy',
        step(
          'Test',
          'Test it.',
          withAssurance('shell', { cmd: 'make test', timeout_seconds: 60 }, 'observed'),
        ),
        step('Ask', 'Ask.', withAssurance('user_input', { prompt: 'Deploy version 4?' }, 'client')),
      ),
    },
  ],
  'chain-without-proof': [
    {
      title: 'A checklist',
      source: chain(
        'Upgrade the database',
        step('Make a backup', 'Keep it elsewhere.'),
        step('Upgrade', 'Run the upgrade.'),
      ),
      findings: {
        '1:1':
          'No step of "Upgrade the database" demands a proof. End the steps that matter with a json block that contains a proof_of_work.',
      },
    },
    {
      title: 'One proof among other steps',
      source: chain(
        'Upgrade the database',
        step('Make a backup', 'Keep it elsewhere.', shellBlock('test -s backup.sql')),
        step('Upgrade', 'Run the upgrade.'),
      ),
    },
  ],
  'mcp-without-server': [
    {
      title: 'A tool of any server',
      source: chain('Onboard', step('Read the runbook', 'Read it.', mcp({}))),
      findings: {
        '8:43':
          'No server is named for the tool "read_text_file", so kairos cannot call it itself. Add "server" with the name that clients have configured.',
      },
    },
    {
      title: 'A tool of a named server',
      source: chain('Onboard', step('Read the runbook', 'Read it.', mcp({ server: 'filesystem' }))),
    },
  ],
  'only-optional-proofs': [
    {
      title: 'No required proof',
      source: chain(
        'Release',
        step('Test', 'Run the tests.', optional('npm test')),
        step('Publish', 'Upload it.', optional('npm publish')),
      ),
      findings: {
        '8:102':
          'Every proof of "Release" is optional, so a run in which all of them fail still succeeds. Make those required that the work depends on.',
      },
    },
    {
      title: 'One required proof',
      source: chain(
        'Release',
        step('Test', 'Run the tests.', optional('npm test')),
        step('Publish', 'Upload it.', shellBlock('npm publish')),
      ),
    },
  ],
  'open-question': [
    {
      title: 'A form offers only approved and rejected',
      source: chain(
        'Move the service',
        step('Choose', 'Ask the owner.', userInputBlock('The regions are ready. Which one is next?')),
        step('Note it', 'Ask the owner.', userInputBlock('Enter the ticket.')),
      ),
      findings: {
        '8:67':
          'In a form this question has only the answers "approved" and "rejected". List its choices, or write a pattern for the text, for example "[A-Za-z0-9 .-]+".',
        '16:67': null,
      },
    },
    {
      title: 'With choices or a pattern, and questions with a yes',
      source: chain(
        'Move the service',
        step('Choose', 'Ask.', userInputBlock('Which region is next?', { choices: ['north', 'south'] })),
        step('Note it', 'Ask.', userInputBlock('Enter the ticket.', { pattern: '[A-Z]+-[0-9]+' })),
        step('Ask for it', 'Ask.', userInputBlock('May the service move to the north now?')),
        step('Look', 'Ask.', userInputBlock('When all hosts are moved, approve.')),
        step('Sign', 'Ask.', userInputBlock('Enter your approval of the move.')),
      ),
    },
  ],
  'sampling-with-shell': [
    {
      title: 'Both in one step',
      source: chain(
        'Look',
        step('Look', 'Read the log.', { ...shellBlock('tail -n 50 app.log'), sampling: SAMPLING }),
      ),
      findings: {
        '8:101':
          'This step asks a model and runs a command, one after the other under one title. Make two steps of it.',
      },
    },
    {
      title: 'One after the other',
      source: chain(
        'Look',
        step('Get it', 'Read the log.', shellBlock('tail -n 50 app.log')),
        step('Sum up', 'Sum it up.', { sampling: SAMPLING }),
      ),
    },
  ],
  'step-without-proof': [
    {
      title: 'Nothing shows that the backup was made',
      source: `# Upgrade the database

## Announce the window

Inform the channel.

## Make a backup

Keep it on another machine.

## Upgrade

\`\`\`sh proof timeout=10m
make upgrade
\`\`\`
`,
      findings: { '7:1': null },
    },
    {
      title: 'Each step between the first and the last has its proof',
      source: `# Upgrade the database

## Announce the window

Inform the channel.

## Make a backup

Keep it on another machine.

\`\`\`sh proof timeout=30s
test -s backup.sql
\`\`\`

## Write down what happened

In the log of the service.
`,
    },
  ],
};
