import { comment, question, shell, type Template } from './template.ts';

export const release: Template = {
  kind: 'release',
  summary: 'from a clean tree to a version that others can use',
  check: 'npm test',
  description:
    'How a version is released. The tree is clean and the checks pass before a person decides, and another person tries the result from outside.',
  triggers: (title) => [`release: ${title}`, `ship a new version: ${title}`],
  completionRule: 'Its users can get the version and read what is different in it.',
  steps: ({ check }) => [
    {
      label: 'Start from a clean tree',
      body: 'Publish only what is committed.',
      proof: shell('changes=$(git status --porcelain) && test -z "$changes"', 30),
    },
    {
      label: 'Run the checks',
      body: 'Run all of them, on exactly what will be released.',
      proof: shell(check, 1800),
    },
    {
      label: 'Write down what is different',
      body: 'For those who upgrade: what they gain, what they must change, and what to do if this version turns out to be bad.',
      proof: comment(80),
    },
    {
      label: 'Get the go-ahead',
      body: 'Show the account of the changes to the person who decides. Continue only if they agree.',
      proof: question('Are the changes above right, and do you want to publish this version now?', [
        'publish this version',
      ]),
    },
    {
      label: 'Publish',
      body: 'Publish it the way this project does. Name the command, the person and the version. A command as the proof of this step is better than this account.',
      proof: comment(40),
    },
    {
      label: 'Try it from outside',
      body: 'Fetch the version as a stranger would and use it once.',
      proof: comment(40),
    },
  ],
};
