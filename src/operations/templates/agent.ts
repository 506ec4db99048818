import { comment, question, shell, type Template } from './template.ts';

export const agent: Template = {
  kind: 'agent',
  summary: 'a task for an agent, held to a plan, a check and a person',
  check: 'npm test',
  description:
    'A task that an agent carries out on its own. It says what it will do before it does it, a command judges the result, and a person has the last word.',
  triggers: (title) => [`let the agent do it: ${title}`, `task for an agent: ${title}`],
  completionRule: 'The command is green on what is handed over, and a person has seen the difference.',
  steps: ({ check }) => [
    {
      label: 'Understand the task',
      body: 'Read what the task touches. Say in your own words what will be different afterwards, what will not, and what you could not find out.',
      proof: comment(120),
    },
    {
      label: 'See that the check is green',
      body: 'Before anything is changed. If it is not, stop and say so.',
      proof: shell(check, 1800),
    },
    {
      label: 'Make the change',
      body: 'As small as the task allows. Name each file, and for each why it had to change.',
      proof: comment(80),
    },
    { label: 'Run the check again', body: 'On exactly what will be handed over.', proof: shell(check, 1800) },
    {
      label: 'Show it to a person',
      body: 'Show the whole difference, and what you are unsure about.',
      proof: question('Have you read the whole difference, and shall it be kept?', ['keep the change']),
    },
  ],
};
