import type { SignalExitCode } from './interrupt.ts';

/** What an answer is worth (SPEC 4): typed at a terminal, or merely handed in by a pipe, a file or `--yes`. */
export type AnswerAssurance = 'client' | 'claimed';

/** What became of a question. Only a wrong answer that nobody can be asked to repeat throws. */
export type Outcome<T> =
  | { kind: 'answer'; value: T; assurance: AnswerAssurance }
  /** Input ended: Ctrl-D, a closed terminal, a pipe without more lines. */
  | { kind: 'eof' }
  /** Ctrl-C or a signal. Null: the first Ctrl-C, ask what to do; a number: end with it. */
  | { kind: 'interrupt'; exitCode: SignalExitCode | null }
  /** Nobody is there to ask. */
  | { kind: 'unanswered' };
