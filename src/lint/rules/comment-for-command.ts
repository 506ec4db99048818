import type { StepNode } from '../../protocol/model.ts';
import type { Rule } from '../rule.ts';
import { chain, comment, shell, step } from './support/example.ts';
import { placeOf } from './support/written.ts';

const COMMAND = '```bash\nnpm audit --omit=dev\n```';

/** Steps that give a command to run and ask for a comment. */
export const commentForCommand: Rule = {
  id: 'comment-for-command',
  family: 'proof',
  severity: 'info',
  summary: 'Where a command can answer, it is the proof.',
  why: 'The step already holds the command that would show whether the work was done. A comment about it is a claim; an exit code that kairos has seen itself is not, and it costs the walker nothing more.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A command in the text, a comment as proof',
        source: chain('Release', step('Audit', `Look for known holes:\n\n${COMMAND}`, comment(40))),
        findings: [
          {
            line: 12,
            column: 28,
            reason:
              'The step gives a command to run but asks for a comment about it. Let the command be the proof: "type": "shell" with the command as "cmd".',
          },
        ],
      },
      {
        title: 'The command is the proof',
        source: chain('Release', step('Audit', 'Look for known holes.', shell('npm audit --omit=dev'))),
        findings: [],
      },
      {
        title: 'Code that is not for a shell, and several commands to choose from',
        source: chain(
          'Debug',
          step('Read', 'The query:\n\n```sql\nselect 1;\n```', comment(40)),
          step('Look', `Either\n\n${COMMAND}\n\nor\n\n${COMMAND}`, comment(40)),
        ),
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block === null || block.value.proof_of_work?.type !== 'comment' || !givesOneCommand(node)) continue;
      context.report({
        place: placeOf(context, block, ['proof_of_work', 'type']),
        reason:
          'The step gives a command to run but asks for a comment about it. Let the command be the proof: "type": "shell" with the command as "cmd".',
      });
    }
  },
};

/** One block of shell code, and short: a long one is an example or a session. */
function givesOneCommand({ body }: StepNode): boolean {
  if (!body.includes('```')) return false;
  const fences = [...body.matchAll(/^```(?:sh|bash|shell|zsh|console)[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)];
  return fences.length === 1 && fences[0]![1]!.trim().split('\n').length <= 3;
}
