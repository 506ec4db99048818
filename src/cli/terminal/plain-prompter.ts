import type { Readable, Writable } from 'node:stream';
import { KairosError } from '../../base/errors.ts';
import { escapeForTerminal } from '../../base/escape.ts';
import type { EditText } from './editor.ts';
import { createLineReader, PASTE_MS } from './line-reader.ts';
import type { AnswerAssurance, AskBackEnd, BackEndReply } from './prompter.ts';
import {
  BLOCK_FENCE,
  describeQuestion,
  type Question,
  questionId,
  questionText,
  readAnswer,
} from './question.ts';

export interface PlainOptions {
  input: Readable;
  output: Writable;
  /**
   * Whether input is a terminal. If so, an invalid answer is asked again and answers count as `client`; else
   * it is an error and answers are `claimed`.
   */
  terminal: boolean;
  /** Opens an editor on a text; null when no editor is set. Used only at a terminal. */
  edit: EditText | null;
  /** Milliseconds that a pipe may stay silent before it counts as having no writer; undefined: no limit. */
  patienceMs?: number;
}

type Line = { line: string } | Exclude<BackEndReply, { kind: 'answer' }>;

/** Asks in plain lines without control sequences: for simple terminals, screen readers and pipes. */
export function createPlainAsk(options: PlainOptions): {
  ask: AskBackEnd;
  surplus: () => number;
  close: () => void;
} {
  const { output, terminal } = options;
  const reader = createLineReader(options.input);
  const assurance: AnswerAssurance = terminal ? 'client' : 'claimed';

  async function readLine(signal: AbortSignal): Promise<Line> {
    if (terminal) output.write('> ');
    const read = await reader.next({ signal, patienceMs: terminal ? undefined : options.patienceMs });
    if (read.kind === 'line') return { line: read.line };
    if (terminal) output.write('\n');
    return { kind: read.kind === 'aborted' ? 'interrupt' : read.kind === 'silent' ? 'unanswered' : 'eof' };
  }

  async function readText(question: Question, signal: AbortSignal, draft: string): Promise<Line> {
    const first = await readLine(signal);
    if ('kind' in first || (question.kind !== 'editor' && question.kind !== 'text')) return first;
    if (question.kind === 'editor') {
      if (first.line === '' && terminal && options.edit !== null) {
        const edited = await options.edit(draft, signal);
        return edited.kind === 'text'
          ? { line: edited.text }
          : refuse(edited.reason, question, signal, draft);
      }
      if (first.line === BLOCK_FENCE) return readBlock(signal);
    }
    return terminal ? withPaste(first.line, signal) : first;
  }

  /** A line and those that follow immediately: a pasted text is one answer. */
  async function withPaste(first: string, signal: AbortSignal): Promise<Line> {
    const lines = [first];
    for (;;) {
      const next = await reader.next({ signal, patienceMs: PASTE_MS });
      if (next.kind !== 'line') return { line: lines.join('\n') };
      lines.push(next.line);
    }
  }

  /** The lines up to the closing fence. Input that ends before the fence isn't an answer. */
  async function readBlock(signal: AbortSignal): Promise<Line> {
    const lines: string[] = [];
    for (;;) {
      const next = await readLine(signal);
      if ('kind' in next) return next;
      if (next.line === BLOCK_FENCE) return { line: lines.join('\n') };
      lines.push(next.line);
    }
  }

  /** Prints what is wrong with an answer and reads another. */
  function refuse(reason: string, question: Question, signal: AbortSignal, draft: string): Promise<Line> {
    output.write(`${escapeForTerminal(reason)}\n`);
    return readText(question, signal, draft);
  }

  async function ask(question: Question, signal: AbortSignal): Promise<BackEndReply> {
    output.write(`${questionText(question, options)}\n`);
    let draft = question.kind === 'editor' ? (question.initial ?? '') : '';
    let given = await readText(question, signal, draft);
    for (;;) {
      if ('kind' in given) return given;
      const reading = readAnswer(question, given.line);
      if (reading.ok) return { kind: 'answer', value: reading.value, assurance };
      if (!terminal) throw wrongAnswer(question, reading.reason);
      if (question.kind === 'editor' && given.line !== '') draft = given.line;
      given = await refuse(reading.reason, question, signal, draft);
    }
  }

  return { ask, surplus: () => (terminal ? 0 : reader.waiting()), close: () => reader.close() };
}

function wrongAnswer(question: Question, reason: string): KairosError {
  return new KairosError(
    'INVALID_INPUT',
    `The answer on standard input to ${questionId(question)} is invalid: ${reason}`,
    { hint: 'Correct the piped answer; a terminal would ask again.', data: describeQuestion(question) },
  );
}
