import { hasProblem } from '../problem-rule.ts';
import type { LintRule } from '../rule.ts';

/** Steps in the middle of a chain without their own demand. */
export const stepWithoutProof: LintRule = {
  id: 'step-without-proof',
  family: 'proof',
  severity: 'info',
  summary: 'A step after the first should define what shows that it was done.',
  why: 'A step without a step block is proven by any comment of ten characters, which shows that something was written, not that the work was done. Let a command, a tool or a person answer where possible. The first step may go without (it needs nothing), and the last one is covered by the closing comment.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'Nothing shows that the backup was made',
        source: `# Upgrade the database

## Announce the window

Inform the channel.

## Make a backup

Keep it on another machine.

## Upgrade

\`\`\`json
{"proof_of_work": {"type": "shell", "shell": {"cmd": "make upgrade", "timeout_seconds": 600}}}
\`\`\`
`,
        findings: [{ line: 7, column: 1 }],
      },
      {
        title: 'Each step between the first and the last has its proof',
        source: `# Upgrade the database

## Announce the window

Inform the channel.

## Make a backup

Keep it on another machine.

\`\`\`json
{"proof_of_work": {"type": "shell", "shell": {"cmd": "test -s backup.sql", "timeout_seconds": 30}}}
\`\`\`

## Write down what happened

In the log of the service.
`,
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { chain, step } of context.steps) {
      const isBetween = step.index > 1 && step.index < chain.steps.length;
      if (!isBetween || step.block !== null || hasProblem(context, step.place)) continue;
      // When no step has any, chain-without-proof reports it once.
      if (chain.steps.every(({ block }) => block === null)) continue;
      context.report({
        place: step.labelPlace,
        reason: `Step ${step.index}, ${JSON.stringify(step.label)}, does not demand a proof. End it with a json block that contains a proof_of_work.`,
      });
    }
  },
};
