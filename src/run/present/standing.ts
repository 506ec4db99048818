import { type CommandLine, plainCommand } from '../../base/command-line.ts';
import type { Assurance } from '../../protocol/schema.ts';
import type { RunState } from '../state.ts';
import { MESSAGES } from '../wording.ts';

/** What the interface can do about the pending step. */
export interface Standing {
  /** The protocol can be changed through it. */
  canUpdate: boolean;
  /** What it obtains itself for the pending step when it is asked to. */
  obtains: 'command' | 'user' | 'model' | null;
  /** Why it leaves the pending command to people, though it runs others. */
  left: keyof typeof MESSAGES.left | null;
  /** The pending step asks for an assurance that nothing reaches here. */
  beyondReach: Assurance | null;
  /** Makes the commands that the answer names. */
  commandLine: CommandLine;
}

/** An interface with unknown abilities. */
export const ANYWHERE: Standing = {
  canUpdate: true,
  obtains: null,
  left: null,
  beyondReach: null,
  commandLine: plainCommand,
};

/** That the pending step cannot be proven here, and where it can. */
export function reachLines(
  { runId }: RunState,
  step: number,
  need: Assurance,
  commandLine: CommandLine,
): string[] {
  return [MESSAGES.outOfReach(step, need), MESSAGES.resumeByHand(commandLine(['resume', runId]))];
}
