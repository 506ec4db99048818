import { comment, question, shell, type Template } from './template.ts';

export const release: Template = {
  kind: 'release',
  summary: 'from a clean tree to a version that others can use',
  check: 'npm test',
  description:
    'How a version gets out. The tree is clean and the checks are green before a person decides, and somebody looks at the result from outside.',
  triggers: (title) => [`release: ${title}`, `ship a new version: ${title}`],
  completionRule:
    'The version can be had by those it was made for, and they can read what is different in it.',
  steps: ({ check }) => [
    {
      label: 'Start from a clean tree',
      body: 'Nothing may be published that is not committed.',
      proof: shell('changes=$(git status --porcelain) && test -z "$changes"', 30),
    },
    {
      label: 'Run the checks',
      body: 'All of them, on exactly what will be released.',
      proof: shell(check, 1800),
    },
    {
      label: 'Write down what is different',
      body: 'For those who upgrade: what they gain, what they must change, and what to do if this version turns out to be bad.',
      proof: comment(80),
    },
    {
      label: 'Get the go-ahead',
      body: 'Show the account of the changes to the person who decides. Only their yes leads on.',
      proof: question('Are the changes above right, and shall this version be published now?', [
        'publish this version',
      ]),
    },
    {
      label: 'Publish',
      body: 'Publish it the way this project does, and say with which command, by whom and under which version. A command of your own makes a better proof than this account.',
      proof: comment(40),
    },
    {
      label: 'Look at it from outside',
      body: 'Fetch the version as a stranger would and use it once.',
      proof: comment(40),
    },
  ],
};
