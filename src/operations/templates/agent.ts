import { comment, question, shell, type Template } from './template.ts';

export const agent: Template = {
  kind: 'agent',
  summary: "a task for an agent, with a plan, a check and a person's approval",
  check: 'npm test',
  description:
    'A task that an agent does alone. It describes the change first, a command checks the result, and a person decides.',
  triggers: (title) => [`let the agent do it: ${title}`, `task for an agent: ${title}`],
  completionRule: 'The command passes on what is delivered, and a person has read the difference.',
  steps: ({ check }) => [
    {
      label: 'Understand the task',
      body: 'Read what the task touches. Describe in your own words what will change, what will not, and what you could not find out.',
      proof: comment(120),
    },
    {
      label: 'Confirm that the check passes',
      body: 'Run it before you change anything. If it fails, stop and report it.',
      proof: shell(check, 1800),
    },
    {
      label: 'Make the change',
      body: 'Keep it as small as the task allows. Name each file and why it had to change.',
      proof: comment(80),
    },
    {
      label: 'Run the check again',
      body: 'Run it on exactly what you will deliver.',
      proof: shell(check, 1800),
    },
    {
      label: 'Show it to a person',
      body: 'Show the whole difference, and what you are unsure about.',
      proof: question('Have you read the whole difference, and do you accept it?', ['keep the change']),
    },
  ],
};
