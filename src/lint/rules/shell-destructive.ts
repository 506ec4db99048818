import type { StepNode } from '../../protocol/model.ts';
import type { ParsedScript, SimpleCommand } from '../../shell/commands.ts';
import { findDangers } from '../../shell/danger.ts';
import type { LintRule } from '../rule.ts';

export const shellDestructive: LintRule = {
  id: 'shell-destructive',
  family: 'shell',
  severity: 'warning',
  summary: 'Before something is destroyed, a person has approved it.',
  why: 'A run does one step after the other. Something that cannot be restored needs a stop before it: a question with choices that a person answers, or a proposal that the gate judges.',
  check(context) {
    for (const { steps } of context.document.chains) {
      const approved = steps.findIndex(isApproval);
      for (const script of context.scripts) {
        const at = steps.indexOf(script.step);
        if (at === -1 || script.role !== 'proof' || script.block.value.proposal !== undefined) continue;
        if (approved !== -1 && approved < at) continue;
        for (const { what, why, command } of findDangers(script.parsed)) {
          if (isOwnToRemove(command, script.parsed)) continue;
          context.report({
            place: script.place(command.pos, command.end),
            reason: `${what} ${why}, and no person has approved it. Put a required user_input step with choices before this one, or give this step a proposal.`,
          });
        }
      }
    }
  },
};

/** Without choices an answer is text, never an approval. */
function isApproval({ block }: StepNode): boolean {
  const proof = block?.value.proof_of_work;
  return proof?.type === 'user_input' && proof.required && proof.user_input.choices !== undefined;
}

/** What a build makes again, what the command has made itself, and single files of the working directory. */
function isOwnToRemove({ name, args }: SimpleCommand, { text }: ParsedScript): boolean {
  if (name === 'rmdir') return true;
  if (name !== 'rm') return false;
  const isRecursive = args.some((arg) => /^-[a-zA-Z]*[rR]|^--recursive$/.test(arg));
  return args
    .filter((arg) => !arg.startsWith('-'))
    .every((path) => {
      const variable = /^\$\{?([A-Za-z_]\w*)\}?(?:\/[\w./-]*)?$/.exec(path)?.[1];
      if (variable !== undefined) return new RegExp(`\\b${variable}=["']?\\$\\(mktemp\\b`).test(text);
      if (path.split('/').includes('..')) return false;
      return isRecursive ? MADE_BY_BUILDS.test(path) : /^(?:\.\/)?[\w][\w./-]*$/.test(path);
    });
}

const MADE_BY_BUILDS =
  /^(?:\.\/)?(?:[\w.-]+\/)*(?:node_modules|dist|build|out|target|bundle|coverage(?:-\w+)?|\.cache|__pycache__|\.pytest_cache|\.next|\.venv|venv|tmp|\.tmp|tmp\/[\w./-]+)\/?$/;
