import type { ReadStream, WriteStream } from 'node:tty';
import type { Call } from '../command.ts';
import { choosePrompter, type PromptFlags } from './choose-prompter.ts';
import { type Interrupts, watchSignals } from './interrupt.ts';
import type { Prompter } from './prompter.ts';

/** What of a call says who can be asked. */
export type AskingCall = Pick<Call<unknown[]>, 'io' | 'output' | 'options'>;

/** The prompter of a call: its streams, its environment, `--json` and `--color`; the other flags are the command's own. */
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

/** Asks with whatever there is to ask with, and lets go of it whatever happens. */
export async function withPrompter<T>(
  call: AskingCall,
  flags: Omit<PromptFlags, 'json' | 'color'>,
  work: (prompter: Prompter, interrupts: Interrupts) => Promise<T>,
): Promise<T> {
  const interrupts = watchSignals();
  const prompter = prompterOf(call, interrupts, flags);
  try {
    return await work(prompter, interrupts);
  } finally {
    prompter.close();
    interrupts.dispose();
  }
}
