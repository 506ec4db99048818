import type * as z from 'zod/mini';
import type { ShellDefinition } from '../../host/commands/shell-step.ts';
import type { LeftCommand, OperationContext } from '../../operations/context.ts';
import type { NextInput } from '../../operations/next.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import type { Elicitation } from '../elicitation/elicit.ts';

/** All hints of MCP tool annotations, none left to a client's guess. */
interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** Acts outside of the store: the tools that run commands of a server with `--execute`. */
  openWorldHint: boolean;
}

/** What a call may use in addition to its arguments. */
export interface ToolCallContext {
  ctx: OperationContext;
  /** Runs shell steps (`--execute`); null: the agent runs them. */
  runner: CommandRunner | null;
  /** Asks the client about steps that the server asks about itself. */
  elicitation: Elicitation;
  /** Aborted when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Reports progress to a client that asked for it; resolves when it was sent. */
  progress: (message: string) => Promise<void>;
}

/** One tool: its words, its schemas, and the operation behind it. A tool is a file and a line in the registry. */
export interface Tool {
  name: string;
  /** What it does and when to use it, for a model of middle size, in at most 200 bytes. */
  description: string;
  hints: ToolHints;
  /** Runs commands on a server with `--execute`. */
  executes?: boolean;
  /** Returns the text of steps, which may be long. */
  hasText?: boolean;
  /** Stores, changes or deletes protocols: not offered by a read-only server. */
  changesProtocols: boolean;
  input: z.ZodMiniType;
  /** One line for each argument that does not explain itself. */
  parameters: Record<string, string>;
  /** What to list for arguments that the run engine checks, because it returns a run error for an invalid one. */
  shapes?: Record<string, z.ZodMiniType>;
  /** Arguments arrive unchecked: the operation checks them and throws KairosError for invalid ones. */
  call(call: ToolCallContext, args: never): Promise<object>;
}

/** Handles `kairos_next` calls whose step the server can prove itself. */
export interface CommandRunner {
  /** Why a command is left to people, for what it is; null: it is run here. */
  leaves(shell: ShellDefinition): Promise<LeftCommand | null>;
  /** Null when there is nothing to run here: then the call is an ordinary one. */
  next(call: ToolCallContext, input: NextInput): Promise<RunFields | null>;
  /** Ends every command that it is running, for any caller. */
  end(): void;
  /** Index of the station of a run whose command it is running now; null when none. */
  running(runId: string): number | null;
}
