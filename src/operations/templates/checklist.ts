import { comment, question, type Template } from './template.ts';

export const checklist: Template = {
  kind: 'checklist',
  summary: 'a list that people go through, each point with an account of it',
  check: null,
  description: 'Points that are easy to forget. A person checks each one and describes what they saw.',
  triggers: (title) => [`go through the checklist: ${title}`, `what not to forget: ${title}`],
  completionRule: 'The person who attests has checked every point, and every open point has an owner.',
  steps: () => [
    {
      label: 'Gather what is needed',
      body: 'Get ready what the list is about: the place, the people, the papers.',
    },
    {
      label: 'Go through the points',
      body: 'Check one after the other. Write down what you saw, above all where it was not as expected.',
      proof: comment(60),
    },
    {
      label: 'Have a second person look',
      body: 'A person who did not go through the points reads the account and checks one of them again.',
      proof: question('Has a second person read the account above and looked at one of its points again?', [
        'a second person has looked',
      ]),
    },
    {
      label: 'Hand over what is open',
      body: 'For each open point, name who is responsible for it and until when.',
      proof: comment(40),
    },
  ],
};
