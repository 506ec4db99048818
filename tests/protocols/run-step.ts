import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { StepNode } from '../../src/protocol/model.ts';
import type { ProofOfWork } from '../../src/protocol/schema.ts';
import { chainOf, type Shipped } from './shipped.ts';
import { givenValues, type Walk } from './walk-data.ts';

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

/** Runs a step's command in a directory, with what kairos would pass: the names of its `env`, inputs, captures and parameters. */
export function runShell(
  { shell }: ShellDemand,
  directory: string,
  walk: Walk,
  path: string,
): Promise<ShellOutcome> {
  const passed = (shell.env ?? []).flatMap((name) =>
    walk.env[name] === undefined ? [] : [[name, walk.env[name]]],
  );
  const env = { PATH: path, HOME: directory, ...Object.fromEntries(passed), ...givenValues(walk) };
  const options = { cwd: join(directory, shell.workdir ?? '.'), env, timeout: 60_000 };
  const { interpreter = 'sh' } = shell;
  return new Promise((resolve) => {
    const child = execFile(
      interpreter === 'sh' ? '/bin/sh' : interpreter,
      [interpreter === 'node' ? '-e' : '-c', shell.cmd],
      options,
      (error, stdout, stderr) => {
        const exit_code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ exit_code, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}
