import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { StepNode } from '../../src/protocol/model.ts';
import type { ProofOfWork } from '../../src/protocol/schema.ts';
import { chainOf, type Shipped } from './shipped.ts';

export type ShellDemand = Extract<ProofOfWork, { type: 'shell' }>;

export interface ShellStep {
  /** Index and title, for messages. */
  label: string;
  demand: ShellDemand;
}

export interface ShellOutcome {
  exit_code: number;
  stdout: string;
  stderr: string;
}

/** The steps of a protocol that are proven by a command, in order. */
export function shellSteps(protocol: Shipped): ShellStep[] {
  return chainOf(protocol).steps.flatMap((step: StepNode) => {
    const proof = step.block?.value.proof_of_work;
    return proof?.type === 'shell' ? [{ label: `${step.index}. ${step.label}`, demand: proof }] : [];
  });
}

/** Runs a step's command in a directory; of `values` only what the step names and parameters get in, as when kairos runs it. */
export function runShell(
  { shell }: ShellDemand,
  directory: string,
  values: Record<string, string>,
  path: string,
): Promise<ShellOutcome> {
  const env: Record<string, string> = { PATH: path, HOME: directory };
  const parameters = Object.keys(values).filter((name) => name.startsWith('KAIROS_PARAM_'));
  for (const name of [...(shell.env ?? []), ...parameters]) {
    if (values[name] !== undefined) env[name] = values[name];
  }
  const options = { cwd: join(directory, shell.workdir ?? '.'), env, timeout: 20_000 };
  return new Promise((resolve) => {
    const child = execFile('/bin/sh', ['-c', shell.cmd], options, (error, stdout, stderr) => {
      const exit_code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exit_code, stdout, stderr });
    });
    child.stdin?.end();
  });
}
