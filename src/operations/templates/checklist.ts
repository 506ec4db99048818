import { comment, question, type Template } from './template.ts';

export const checklist: Template = {
  kind: 'checklist',
  summary: 'a list that people go through, each point with an account of it',
  check: null,
  description:
    'Points that are easily forgotten. Each is ticked by somebody who looked, and says what they saw.',
  triggers: (title) => [`go through the checklist: ${title}`, `what must not be forgotten: ${title}`],
  completionRule:
    'Every point was looked at by whoever attests, and what was not as it should be has an owner.',
  steps: () => [
    {
      label: 'Gather what is needed',
      body: 'Have at hand what the list is about: the place, the people, the papers.',
    },
    {
      label: 'Go through the points',
      body: 'Take one after the other. Write down what you saw, above all where it was not as expected.',
      proof: comment(60),
    },
    {
      label: 'Have a second person look',
      body: 'Somebody who did not go through the points reads what was written, and looks at one of them again.',
      proof: question('Has a second person read the account above and looked at one of its points again?', [
        'a second person has looked',
      ]),
    },
    {
      label: 'Hand over what is open',
      body: 'Name for each open point who takes care of it and until when.',
      proof: comment(40),
    },
  ],
};
