import type { CommandInfo } from '../../../host/commands/shell-step.ts';
import type { Assurance } from '../../../protocol/schema.ts';
import type { RollbackDoneData } from '../../../run/entry-data.ts';
import type { WalkFields } from '../../../run/walk-fields.ts';

/** What a command line run tells, whoever reads it. One implementation speaks to people, one writes JSON lines. */
export interface Reporter {
  begun(info: {
    runId: string;
    title: string;
    slug: string;
    digest: string;
    steps: number;
    resumed: boolean;
  }): void;
  /** Fixed words. */
  note(text: string): void;
  step(info: StepInfo): Promise<void>;
  command(info: CommandInfo): Promise<void>;
  output(stream: 'stdout' | 'stderr', chunk: string): void;
  commandEnded(info: CommandEnd): void;
  tool(info: { server: string; tool: string; source: string }): void;
  /** The engine's answer to what was handed in, and what that is worth; null when nothing was handed in. */
  verdict(fields: WalkFields, assurance: Assurance | null): void;
  /** A step was rolled back, or could not be. */
  rolledBack(done: RollbackDoneData): void;
  sealed(info: SealedInfo): Promise<void>;
  /** The run stops without being sealed. `resume` is the literal command that takes it up again. */
  stopped(info: { code: number; reason: string; runId: string; resume: string }): void;
}

export interface StepInfo {
  index: number;
  count: number;
  label: string;
  uri: string;
  content: string;
  type: string | null;
  required: boolean;
}

export interface CommandEnd {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  aborted: boolean;
  durationMs: number;
  /** Why it could not be started; null when it was. */
  error: string | null;
}

export interface SealedInfo {
  runId: string;
  outcome: 'success' | 'failure';
  message: string;
  head: string;
  entries: number;
  assurance: Record<string, number>;
  /** What verifying the ledger right after sealing said. */
  verified: string;
  /** The command that does it again. */
  verify: string;
}
