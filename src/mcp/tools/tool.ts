import type * as z from 'zod/mini';
import type { OperationContext } from '../../run/context.ts';
import type { Director } from '../director/director.ts';
import type { CommandRunner } from './command-runner.ts';

/** The hints of MCP tool annotations, all of them said, none left to a client's guess. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  /** Reaches beyond the store. */
  openWorldHint: boolean;
}

/** What a call may use beside its arguments. */
export interface ToolCall {
  ctx: OperationContext;
  /** Runs shell steps (`--execute`); null: the walker runs them. */
  runner: CommandRunner | null;
  /** Asks the client about steps that the server asks about itself. */
  director: Director;
  /** Aborted when the client cancels the call or goes away. */
  signal: AbortSignal;
  /** Tells the client that asked for progress what is going on; resolves when it was sent. */
  progress: (message: string) => Promise<void>;
}

/** One tool: its words, its schemas, and the operation behind it. A tool is a file and a line in the registry. */
export interface Tool {
  name: string;
  title: string;
  /** What it does, when to use it, what comes next; about 300 bytes. */
  description: string;
  hints: ToolHints;
  /** Stores, changes or deletes protocols: not offered by a read-only server. */
  changesProtocols: boolean;
  input: z.ZodMiniType;
  /** One line for each argument that does not explain itself. */
  parameters: Record<string, string>;
  output: z.ZodMiniType;
  /** Arguments come unchecked: the operation checks them, and KairosError says what is wrong. */
  call(call: ToolCall, args: never): Promise<object>;
}
