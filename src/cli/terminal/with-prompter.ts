import type { ReadStream, WriteStream } from 'node:tty';
import type { Call } from '../command.ts';
import { choosePrompter, type PromptFlags } from './choose-prompter.ts';
import { type Interrupts, watchSignals } from './interrupt.ts';
import type { Prompter } from './prompter.ts';

/** The parts of a call that decide who can be asked. */
export type AskingCall = Pick<Call<unknown[]>, 'io' | 'output' | 'options'>;

/**
 * The prompter of a call: its streams, its environment, `--json` and `--color`; other flags belong to the
 * command.
 */
export function prompterOf(
  { io, output, options }: AskingCall,
  interrupts: Interrupts,
  flags: Omit<PromptFlags, 'json' | 'color'> = {},
): Prompter {
  return choosePrompter({
    stdin: io.stdin as ReadStream,
    stdout: io.stdout as WriteStream,
    stderr: io.stderr as WriteStream,
    env: io.env,
    interrupts,
    flags: { ...flags, json: output.json, color: options.color },
  });
}

/** Asks with the available prompter, and always releases it. */
export async function withPrompter<T>(
  call: AskingCall,
  flags: Omit<PromptFlags, 'json' | 'color'>,
  work: (prompter: Prompter, interrupts: Interrupts) => Promise<T>,
): Promise<T> {
  const interrupts = watchSignals(call.io.signals);
  const prompter = prompterOf(call, interrupts, flags);
  try {
    return await work(prompter, interrupts);
  } finally {
    prompter.close();
    interrupts.dispose();
  }
}
