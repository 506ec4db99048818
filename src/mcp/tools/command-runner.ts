import type { NextInput } from '../../operations/schemas.ts';
import type { LeftCommand } from '../../run/context.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import type { ShellDefinition } from '../../run-host/shell-step.ts';
import type { ToolCall } from './tool.ts';

/** Takes `kairos_next` calls whose step the server can prove itself. */
export interface CommandRunner {
  /** Why a command is left to people, for what it is; null: it is run here. */
  leaves(shell: ShellDefinition): Promise<LeftCommand | null>;
  /** Null when there is nothing to run here: then the call is an ordinary one. */
  next(call: ToolCall, input: NextInput): Promise<WalkFields | null>;
  /** Ends every command that it is running, whoever asked for it. */
  end(): void;
  /** Index of the station of a run whose command it is running now; null when none. */
  running(runId: string): number | null;
}
