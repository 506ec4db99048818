import type { NextInput } from '../../operations/schemas.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import type { ToolCall } from './tool.ts';

/** Takes `kairos_next` calls whose step the server can prove itself. */
export interface CommandRunner {
  /** Null when there is nothing to run here: then the call is an ordinary one. */
  next(call: ToolCall, input: NextInput): Promise<WalkFields | null>;
}
