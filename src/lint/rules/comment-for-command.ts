import type { StepNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const commentForCommand: LintRule = {
  id: 'comment-for-command',
  family: 'proof',
  severity: 'info',
  summary: 'Where a command can answer, it is the proof.',
  why: 'The step already has the command that would show whether the work was done. A comment about it is only a claim. An exit code that kairos observes is a better proof, without more work.',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block === null || block.value.proof_of_work?.type !== 'comment' || !givesOneCommand(node)) continue;
      context.report({
        place: nearestPlace(context, block, ['proof_of_work', 'type']),
        reason:
          'The step names a command or a tool but asks for a comment about it. Let it be the proof: a fence "sh proof" with the command, or "mcp" with the tool as "tool_name".',
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
