import { isPassed } from '../../base/passed-variables.ts';
import { outsideVariables, shellStateOf } from '../../shell/variables.ts';
import type { LintRule, RuleContext, StepScript } from '../rule.ts';
import { namesAt, scriptsBefore } from './support/written.ts';

/** Directories and variables of one step that a later step expects. */
export const shellStateLost: LintRule = {
  id: 'shell-state-lost',
  family: 'shell',
  severity: 'warning',
  summary: 'A step does not rely on the shell of an earlier step.',
  why: 'Every command has its own shell. What a command does with `cd`, `export` or an assignment ends with it: the next step begins in the directory of the run, without the variable.',
  fixable: false,
  check(context) {
    if (context.scripts.length < 2) return;
    for (const script of context.scripts) {
      reportDirectory(context, script);
      for (const { name, pos, end } of outsideVariables(script.parsed) ?? []) {
        if (isPassed(name) || namesAt(script).has(name) || isListed(script, name)) continue;
        const setter = scriptsBefore(context, script).findLast(({ parsed }) =>
          shellStateOf(parsed).variables.has(name),
        );
        if (setter === undefined) continue;
        context.report({
          place: script.place(pos, end),
          reason: `${name} is set in step ${setter.step.index}, whose shell has ended, so it is empty here. Set it in this command, or capture its value in that step.`,
        });
      }
    }
  },
};

function reportDirectory(context: RuleContext, script: StepScript): void {
  const { directory } = shellStateOf(script.parsed);
  if (directory === null || script.role !== 'proof') return;
  const isExpected = context.scripts.some(
    ({ chain: node, step: { index }, block, role }) =>
      node === script.chain &&
      index > script.step.index &&
      role === 'proof' &&
      block.value.proof_of_work?.type === 'shell' &&
      block.value.proof_of_work.shell.workdir === undefined,
  );
  if (!isExpected) return;
  context.report({
    place: script.place(directory.pos, directory.end),
    reason: `No later step begins in ${directory.to}: every command has its own shell. Set workdir in the steps that work there.`,
  });
}

function isListed({ block }: StepScript, name: string): boolean {
  const proof = block.value.proof_of_work;
  return proof?.type === 'shell' && proof.shell.env?.includes(name) === true;
}
