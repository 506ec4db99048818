import { comment, question, type Template } from './template.ts';

export const incident: Template = {
  kind: 'incident',
  summary: 'something is broken now: contain it, fix it, report it',
  check: null,
  description:
    'Something does not work for the people who depend on it. First stop it from getting worse, then fix it, then report it.',
  triggers: (title) => [`incident: ${title}`, `outage: ${title}`],
  completionRule:
    'The service works for its users as before, they know what happened, and every planned change has an owner.',
  steps: () => [
    {
      label: 'Describe what is broken',
      body: 'What do users see, since when, and how many are they? Times with their zone.',
      proof: comment(60),
    },
    {
      label: 'Name who leads',
      body: 'One person leads and does nothing else. Everyone else asks that person before changing anything.',
      proof: question('Who leads this incident from now on?', [
        'the person who answers here',
        'another person, who has agreed',
      ]),
    },
    {
      label: 'Stop it from getting worse',
      body: 'Revert the last change, switch the feature off, or reduce the load. Write down what was done and at what time.',
      proof: comment(60),
    },
    {
      label: 'Fix it',
      body: 'One change at a time, each with what it was expected to do and what it did.',
      proof: comment(60),
    },
    {
      label: 'Confirm that users are well again',
      body: 'Check what users see, not the change: the same measure that showed the fault.',
      proof: question('Does the measure that showed the fault show that users are well again?', [
        'it does, for ten minutes now',
      ]),
    },
    {
      label: 'Write the account',
      body: 'What happened, in order; why it could happen; what will be different. Write about causes and blame no person.',
      proof: comment(120),
    },
  ],
};
