import { comment, question, shell, type Template } from './template.ts';

export const runbook: Template = {
  kind: 'runbook',
  summary: 'a piece of operation, with a check before and after',
  check: 'systemctl is-system-running',
  description:
    'A piece of work on a running system, with a check before anything is touched and again when the work is done.',
  triggers: (title) => [`runbook: ${title}`, `on call: ${title}`],
  completionRule: 'The check that passed before still passes, and the next person can read what was done.',
  steps: ({ check }) => [
    {
      label: 'Confirm that the system is well',
      body: 'A fault that exists now must not be blamed on this work later.',
      proof: shell(check, 60),
    },
    {
      label: 'Describe the way back',
      body: 'How to reverse the work, in words that another person could follow at night, and until which point it is possible.',
      proof: comment(60),
    },
    {
      label: 'Get the go-ahead',
      body: 'The person who is responsible for the system reads the way back.',
      proof: question('Is the way back above good enough, and may the work begin now?', ['begin the work']),
    },
    {
      label: 'Do the work',
      body: 'Name each command and its output. If one command does the work, make it the proof of this step.',
      proof: comment(60),
    },
    {
      label: 'Confirm that the system is still well',
      body: 'The same check as before.',
      proof: shell(check, 60),
    },
    {
      label: 'Leave a note',
      body: 'What was done and what was odd, where the next person looks first.',
      proof: comment(40),
    },
  ],
};
