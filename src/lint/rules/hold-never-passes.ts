import { globs } from '../../base/command-line.ts';
import type { ProposedHold, StepBlock } from '../../protocol/schema.ts';
import { findHeld } from '../../shell/held.ts';
import { readCommandPattern } from '../../shell/same-command.ts';
import type { LintRule } from '../rule.ts';
import { frontmatterKey } from './support/blocks.ts';

export const holdNeverPasses: LintRule = {
  id: 'hold-never-passes',
  family: 'frontmatter',
  severity: 'warning',
  summary: 'A step demands the calls of each hold.',
  why: 'A held call passes while the pending step demands it. If no step does, or the step of that number does not exist, agents can never make the call, in any protocol.',
  check(context) {
    const { frontmatter, chains } = context.document;
    for (const hold of frontmatter?.holds ?? []) {
      const steps = chains.flatMap((chain) => chain.steps);
      const here = steps.filter(({ index }) => hold.step === undefined || hold.step === index);
      const isLifted = here.some(
        ({ block }) => hold.allow_when !== 'demanded' || demands(block?.value, hold),
      );
      if (isLifted) continue;
      const what = hold.match.command ?? `the tool ${hold.match.tool}`;
      context.report({
        place: frontmatterKey(context, frontmatter!, 'holds'),
        reason:
          here.length === 0
            ? `The hold of ${what} names step ${hold.step}, which the protocol doesn't have, so it never lets a call through.`
            : `No step${hold.step === undefined ? '' : ` ${hold.step}`} demands ${what}, so the hold never lets a call through. Add a step with it as its proof, or remove the hold.`,
      });
    }
  },
};

/** Whether a step's proof is a call that a hold covers. */
function demands(block: StepBlock | undefined, { match }: ProposedHold): boolean {
  const proof = block?.proof_of_work;
  if (match.tool !== undefined) {
    if (proof?.type !== 'mcp') return false;
    const { tool_name: name, server } = proof.mcp;
    return globs(match.tool, name) || server === undefined || globs(match.tool, `${server}/${name}`);
  }
  const pattern = readCommandPattern(match.command ?? '');
  return proof?.type === 'shell' && pattern !== null && findHeld(proof.shell.cmd, pattern) !== null;
}
