import { comment, question, type Template } from './template.ts';

export const incident: Template = {
  kind: 'incident',
  summary: 'something is broken now: contain it, mend it, tell about it',
  check: null,
  description:
    'Something does not work for the people who depend on it. First it must stop getting worse, then it is mended, then it is told.',
  triggers: (title) => [`incident: ${title}`, `outage: ${title}`],
  completionRule:
    'The service does for its users what it did before, they know what happened, and what is to be changed has owners.',
  steps: () => [
    {
      label: 'Say what is broken',
      body: 'What do users see, since when, and how many are they? Times with their zone.',
      proof: comment(60),
    },
    {
      label: 'Name who leads',
      body: 'One person leads and does nothing else. Everybody else asks that person before changing anything.',
      proof: question('Who leads this incident from now on?', [
        'the person who answers here',
        'somebody else, and they have agreed',
      ]),
    },
    {
      label: 'Stop it from getting worse',
      body: 'Take back the last change, switch the feature off, or take the load away. Write down what was done and at what time.',
      proof: comment(60),
    },
    {
      label: 'Mend it',
      body: 'One change at a time, each with what it was expected to do and what it did.',
      proof: comment(60),
    },
    {
      label: 'See that users are well again',
      body: 'Look at what users see, not at the change: the same measure that showed the fault.',
      proof: question('Does the measure that showed the fault show that users are well again?', [
        'it does, for ten minutes now',
      ]),
    },
    {
      label: 'Write the account',
      body: 'What happened, in order; why it could happen; what will be different. Causes, and nobody to blame.',
      proof: comment(120),
    },
  ],
};
