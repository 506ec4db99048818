import type { OperationContext } from '../../operations/context.ts';

/** A prompt that a person picks in their client. */
export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
  /** The possible values of an argument, by its name. */
  complete: Record<string, (ctx: OperationContext, typed: string) => Promise<string[]>>;
  /** The message to the model. KairosError when an argument cannot be used. */
  text(ctx: OperationContext, args: Record<string, string>): Promise<string>;
}
