/** The assurance of an answer (SPEC 4): typed at a terminal, or provided by a pipe, a file or `--yes`. */
export type AnswerAssurance = 'client' | 'claimed';

/** The result of a question. Throws only for an invalid answer that can't be asked again. */
export type Outcome<T> =
  | { kind: 'answer'; value: T; assurance: AnswerAssurance }
  /** Input ended: Ctrl-D, a closed terminal, a pipe without more lines. */
  | { kind: 'eof' }
  /** Ctrl-C or a signal. Null: the first Ctrl-C, ask what to do; a number: end with it. */
  | { kind: 'interrupt'; exitCode: number | null }
  /** No person can be asked. */
  | { kind: 'unanswered' };
