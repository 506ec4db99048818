import { comment, question, shell, type Template } from './template.ts';

export const runbook: Template = {
  kind: 'runbook',
  summary: 'a piece of operation, with a check before and after',
  check: 'systemctl is-system-running',
  description:
    'A piece of work on a running system. It is looked at before anything is touched, and again when the work is done.',
  triggers: (title) => [`runbook: ${title}`, `on call: ${title}`],
  completionRule:
    'The check that was green before is green after, and the next person can read what was done.',
  steps: ({ check }) => [
    {
      label: 'See that the system is well',
      body: 'What is not well now must not be blamed on this work later.',
      proof: shell(check, 60),
    },
    {
      label: 'Say how it is undone',
      body: 'The way back, in words that somebody else could follow at night, and until which point it is open.',
      proof: comment(60),
    },
    {
      label: 'Get the go-ahead',
      body: 'Whoever is responsible for the system reads the way back.',
      proof: question('Is the way back above good enough, and may the work begin now?', ['begin the work']),
    },
    {
      label: 'Do the work',
      body: 'Name each command and what it answered. Where one command does the work, let it be the proof of this step.',
      proof: comment(60),
    },
    { label: 'See that the system is still well', body: 'The same look as before.', proof: shell(check, 60) },
    {
      label: 'Leave a note',
      body: 'What was done and what was odd, where the next person looks first.',
      proof: comment(40),
    },
  ],
};
