import { commentProof, question, shellProof, type Template } from './template.ts';

const runbook: Template = {
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
      proof: shellProof(check, 60),
    },
    {
      label: 'Describe the way back',
      body: 'How to reverse the work, in words that another person could follow at night, and until which point it is possible.',
      proof: commentProof(60),
    },
    {
      label: 'Get the go-ahead',
      body: 'The person who is responsible for the system reads the way back.',
      proof: question('Is the way back above good enough, and may the work begin now?', ['begin the work']),
    },
    {
      label: 'Do the work',
      body: 'Name each command and its output. If one command does the work, make it the proof of this step.',
      proof: commentProof(60),
    },
    {
      label: 'Confirm that the system is still well',
      body: 'The same check as before.',
      proof: shellProof(check, 60),
    },
    {
      label: 'Leave a note',
      body: 'What was done and what was odd, where the next person looks first.',
      proof: commentProof(40),
    },
  ],
};

const release: Template = {
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
      proof: shellProof('changes=$(git status --porcelain) && test -z "$changes"', 30),
    },
    {
      label: 'Run the checks',
      body: 'Run all of them, on exactly what will be released.',
      proof: shellProof(check, 1800),
    },
    {
      label: 'Write down what is different',
      body: 'For those who upgrade: what they gain, what they must change, and what to do if this version turns out to be bad.',
      proof: commentProof(80),
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
      proof: commentProof(40),
    },
    {
      label: 'Try it from outside',
      body: 'Fetch the version as a stranger would and use it once.',
      proof: commentProof(40),
    },
  ],
};

const incident: Template = {
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
      proof: commentProof(60),
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
      proof: commentProof(60),
    },
    {
      label: 'Fix it',
      body: 'One change at a time, each with what it was expected to do and what it did.',
      proof: commentProof(60),
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
      proof: commentProof(120),
    },
  ],
};

const checklist: Template = {
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
      proof: commentProof(60),
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
      proof: commentProof(40),
    },
  ],
};

const agent: Template = {
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
      proof: commentProof(120),
    },
    {
      label: 'Confirm that the check passes',
      body: 'Run it before you change anything. If it fails, stop and report it.',
      proof: shellProof(check, 1800),
    },
    {
      label: 'Make the change',
      body: 'Keep it as small as the task allows. Name each file and why it had to change.',
      proof: commentProof(80),
    },
    {
      label: 'Run the check again',
      body: 'Run it on exactly what you will deliver.',
      proof: shellProof(check, 1800),
    },
    {
      label: 'Show it to a person',
      body: 'Show the whole difference, and what you are unsure about.',
      proof: question('Have you read the whole difference, and do you accept it?', ['keep the change']),
    },
  ],
};

/** Every kind of protocol to begin with. A new one is a constant above and its name here. */
export const TEMPLATES: readonly Template[] = [checklist, runbook, release, incident, agent];
