import type { StepNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { chain, commentBlock, shellBlock, step } from './support/example.ts';
import { nearestPlace } from './support/written.ts';

const COMMAND = '```bash\nnpm audit --omit=dev\n```';

/** Steps that give a command to run and ask for a comment. */
export const commentForCommand: LintRule = {
  id: 'comment-for-command',
  family: 'proof',
  severity: 'info',
  summary: 'Where a command can answer, it is the proof.',
  why: 'The step already has the command that would show whether the work was done. A comment about it is a claim; an exit code that kairos has seen itself is not, and it costs the agent or user nothing more.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A command in the text, a comment as proof',
        source: chain('Release', step('Audit', `Look for known holes:\n\n${COMMAND}`, commentBlock(40))),
        findings: [
          {
            line: 12,
            column: 28,
            reason:
              'The step names a command or a tool but asks for a comment about it. Let it be the proof: "type": "shell" with the command as "cmd", or "mcp" with the tool as "tool_name".',
          },
        ],
      },
      {
        title: 'An order to call a tool',
        source: chain(
          'Release',
          step('Ask', 'Call the tool `get_release` and look at its state.', commentBlock(40)),
        ),
        findings: [
          {
            line: 8,
            column: 28,
            reason:
              'The step names a command or a tool but asks for a comment about it. Let it be the proof: "type": "shell" with the command as "cmd", or "mcp" with the tool as "tool_name".',
          },
        ],
      },
      {
        title: 'The command is the proof',
        source: chain('Release', step('Audit', 'Look for known holes.', shellBlock('npm audit --omit=dev'))),
        findings: [],
      },
      {
        title: 'Code that is not for a shell, and several commands to choose from',
        source: chain(
          'Debug',
          step('Read', 'The query:\n\n```sql\nselect 1;\n```', commentBlock(40)),
          step('Choose', 'Run `make check`, or call `check` where there is no shell.', commentBlock(40)),
          step('Look', `Either\n\n${COMMAND}\n\nor\n\n${COMMAND}`, commentBlock(40)),
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
        place: nearestPlace(context, block, ['proof_of_work', 'type']),
        reason:
          'The step names a command or a tool but asks for a comment about it. Let it be the proof: "type": "shell" with the command as "cmd", or "mcp" with the tool as "tool_name".',
      });
    }
  },
};

/** One block of shell code, and short (a long one is an example or a session), or one order to run or call something. */
function givesOneCommand({ body }: StepNode): boolean {
  if (!body.includes('`')) return false;
  const fences = [...body.matchAll(/^```(?:sh|bash|shell|zsh|console)[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)];
  if (fences.length > 0) return fences.length === 1 && fences[0]![1]!.trim().split('\n').length <= 3;
  const order = /^(?:Run|Execute|Call)(?: the)?(?: command| tool| MCP tool)? `[^`\n]+`([^`\n]*)/.exec(body);
  // "Run this, or call that" leaves a choice, which no command could judge.
  return order !== null && !/\bor\b/.test(order[1]!) && body.match(/`/g)!.length === 2;
}
