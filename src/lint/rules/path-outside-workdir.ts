import type { BlockNode } from '../../protocol/model.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const pathOutsideWorkdir: LintRule = {
  id: 'path-outside-workdir',
  family: 'block',
  severity: 'warning',
  summary: '`workdir` and `outputs` stay inside the working directory.',
  why: 'Both are confined to the directory that a run was started in, so that a protocol cannot read or work elsewhere. Only roots that a user has configured lie outside of it, and `~` is not expanded.',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block === null) continue;
      for (const { value, path } of pathsOf(block)) {
        const fault = faultOf(value);
        if (fault === null) continue;
        context.report({
          place: nearestPlace(context, block, path),
          reason: `${value} ${fault}, but a step stays inside the working directory. Write a path below it, and start the run where all of them lie.`,
        });
      }
    }
  },
};

function pathsOf({
  value: { proof_of_work: proof, outputs = [] },
}: BlockNode): { value: string; path: (string | number)[] }[] {
  const found: { value: string; path: (string | number)[] }[] = outputs.map(({ path }, at) => ({
    value: path,
    path: ['outputs', at, 'path'],
  }));
  if (proof?.type === 'shell' && proof.shell.workdir !== undefined)
    found.push({ value: proof.shell.workdir, path: ['proof_of_work', 'shell', 'workdir'] });
  return found;
}

function faultOf(path: string): string | null {
  if (path.split(/[\\/]/).includes('..')) return 'goes upwards';
  if (/^~(?:\/|$)/.test(path)) return 'begins in a home folder';
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(path)) return 'is absolute';
  return /^\$/.test(path) ? 'begins with a variable, which is not expanded here' : null;
}
