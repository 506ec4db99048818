import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { escapeForTerminal } from '../../base/escape.ts';
import type { EditText } from './editor.ts';
import type { AskBackEnd, AskForm, BackEndReply, Reply } from './prompter.ts';
import {
  type AnswerCheck,
  type FormQuestion,
  keyedOptions,
  type Question,
  questionId,
  readAnswer,
} from './question.ts';

export interface RichOptions {
  input: ReadStream;
  output: WriteStream;
  color: boolean;
  /** Opens an editor on a text; null when none is set. */
  edit: EditText | null;
}

/** Asks with inquirer's prompts, each loaded on first use. */
export function createRichAsk(options: RichOptions): AskBackEnd {
  return async (question, signal) => {
    const [above, message] = splitMessage(question);
    if (above !== '') options.output.write(`${above}\n`);
    const asked = { ...question, message };
    if (asked.kind === 'editor') return askEditor(asked, options, signal);
    return prompt(asked, options, signal);
  };
}

/** What may be drawn again at every key: lines, and characters. */
const SHORT = { lines: 6, characters: 400 };

/**
 * What is printed once, and the message of the prompt: inquirer draws a prompt again at every key, and one that is taller
 * than the terminal piles up copies of itself.
 */
function splitMessage({ message }: Question): [above: string, message: string] {
  const lines = message.split('\n');
  if (lines.length <= SHORT.lines && message.length <= SHORT.characters) return ['', message];
  const last = lines.at(-1)!;
  const asks = /[?:]$/.test(last) && last.length <= SHORT.characters;
  if (asks) lines.pop();
  const first = lines.map((line) => escapeForTerminal(line));
  return [first.join('\n'), asks ? last : 'Your answer:'];
}

/** Asks for several values on one screen. */
export function createRichForm(options: RichOptions): AskForm {
  return ({ message, questions }, signal) =>
    settled(options, signal, (context) => showForm(message, questions, context));
}

/** One line; an empty line opens the editor, if there is one, until its text is valid. */
async function askEditor(
  question: Question & { kind: 'editor' },
  options: RichOptions,
  signal: AbortSignal,
): Promise<BackEndReply> {
  const { edit } = options;
  let draft = question.initial ?? '';
  let note = edit === null ? undefined : 'An empty line opens the editor.';
  for (;;) {
    const lenient: AnswerCheck = (value) =>
      (value === '' && edit !== null) || (question.check?.(value) ?? true);
    const reply = await prompt({ ...question, kind: 'text', check: lenient }, options, signal, note);
    if (reply.kind !== 'answer' || reply.value !== '' || edit === null) return reply;
    const edited = await edit(draft, signal);
    if (edited.kind === 'text') {
      draft = edited.text;
      const verdict = question.check?.(draft) ?? true;
      if (verdict === true) return { kind: 'answer', value: draft, assurance: 'client' };
      note = `${verdict} An empty line opens the editor again.`;
    } else note = edited.reason;
  }
}

function prompt(
  question: Question,
  options: RichOptions,
  signal: AbortSignal,
  note?: string,
): Promise<BackEndReply> {
  return settled(options, signal, (context) => show(question, context, note));
}

/** Runs one inquirer prompt and distinguishes its ends, which reject alike or not at all. */
async function settled<T>(
  options: RichOptions,
  signal: AbortSignal,
  ask: (context: Context) => Promise<T>,
): Promise<Reply<T>> {
  const { input } = options;
  const ended = new AbortController();
  let lastKey = '';
  const onKey = (_text: string | undefined, key?: { ctrl?: boolean; name?: string }) => {
    lastKey = key?.ctrl ? `^${key.name}` : (key?.name ?? '');
  };
  const onEnd = () => ended.abort();
  // Ctrl-D closes inquirer's reader without settling the prompt; returning from Ctrl-Z leaves its input
  // paused.
  const onPause = () => {
    if (lastKey === '^d') setImmediate(onEnd);
    else if (lastKey === '^z') setImmediate(() => input.resume());
  };
  const listeners = { keypress: onKey, pause: onPause, end: onEnd, close: onEnd, error: onEnd } as const;
  for (const [event, listener] of Object.entries(listeners)) input.on(event, listener);
  try {
    const context = {
      input,
      output: options.color ? options.output : withoutColor(options.output),
      signal: AbortSignal.any([signal, ended.signal]),
    };
    return { kind: 'answer', value: await ask(context), assurance: 'client' };
  } catch (error) {
    if (!(error instanceof Error) || !INQUIRER_ENDS.has(error.name)) throw error;
    return { kind: signal.aborted || lastKey === '^c' ? 'interrupt' : 'eof' };
  } finally {
    for (const [event, listener] of Object.entries(listeners)) input.removeListener(event, listener);
    input.pause();
  }
}

/** Names of the errors with which inquirer reports that a prompt was left unanswered. */
const INQUIRER_ENDS = new Set(['AbortPromptError', 'CancelPromptError', 'ExitPromptError']);

interface Context {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

async function show(question: Question, context: Context, note?: string): Promise<string | boolean> {
  const message = escapeForTerminal(question.message, { keepNewlines: true });
  switch (question.kind) {
    case 'confirm': {
      const { confirm } = await import('./line-reader.ts');
      if (question.default !== undefined) return confirm({ message, default: question.default }, context);
      return showLine(question, `${message} (yes or no)`, context);
    }
    case 'choice':
    case 'action': {
      const { choiceInput } = await import('./line-reader.ts');
      const options = keyedOptions(question.options).map(({ value, label, key }) => ({
        value,
        label: escapeForTerminal(label),
        key: escapeForTerminal(key),
      }));
      const read = (text: string) => {
        const reading = readAnswer(question, text);
        return reading.ok ? { value: String(reading.value) } : { reason: escapeForTerminal(reading.reason) };
      };
      return choiceInput({ message, options, read, default: question.default }, context);
    }
    case 'phrase':
      return showLine(
        question,
        `${message}\nType ${escapeForTerminal(question.phrase)} to continue:`,
        context,
        'Press Enter to refuse.',
      );
    case 'text':
    case 'editor':
      return showLine(question, message, context, note);
  }
}

/** One line, checked at every key; `readAnswer` interprets it. */
async function showLine(
  question: Question,
  message: string,
  context: Context,
  note?: string,
): Promise<string | boolean> {
  const { lineInput } = await import('./line-reader.ts');
  const check = (line: string) => {
    const reading = readAnswer(question, line);
    return reading.ok || escapeForTerminal(reading.reason);
  };
  const fallback = question.kind === 'text' ? question.default : undefined;
  const line = await lineInput(
    {
      message,
      check,
      note: note === undefined ? undefined : escapeForTerminal(note),
      fallback: fallback === undefined ? undefined : escapeForTerminal(fallback),
      hidden: question.kind === 'text' && question.hidden === true,
      multiline: question.kind === 'editor' || (question.kind === 'text' && question.hidden !== true),
    },
    context,
  );
  const reading = readAnswer(question, line);
  if (!reading.ok) throw new TypeError(`accepted an invalid answer: ${reading.reason}`);
  return reading.value;
}

/** The lines of a form, and what each answer means. */
async function showForm(
  message: string,
  questions: readonly FormQuestion[],
  context: Context,
): Promise<readonly string[]> {
  const { formInput } = await import('./form-input.ts');
  const fields = questions.map((question) => ({
    name: escapeForTerminal(question.label ?? questionId(question)),
    help: escapeForTerminal(question.hint ?? question.message),
    ...(question.default === undefined ? {} : { fallback: escapeForTerminal(question.default) }),
    hidden: question.kind === 'text' && question.hidden === true,
    choices: question.kind === 'choice' ? question.options.map(({ value }) => value) : [],
    check: (line: string) => {
      const reading = readAnswer(question, line);
      return reading.ok || escapeForTerminal(reading.reason);
    },
  }));
  const lines = await formInput({ message: escapeForTerminal(message), fields }, context);
  return questions.map((question, at) => {
    const reading = readAnswer(question, lines[at]!);
    if (!reading.ok) throw new TypeError(`accepted an invalid answer: ${reading.reason}`);
    return String(reading.value);
  });
}

/** Passes inquirer's output on without its colours: it ignores NO_COLOR on Node 20. */
function withoutColor(output: WriteStream): Writable {
  const plain = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      output.write(String(chunk).replace(SGR, ''), () => done());
    },
  });
  return Object.defineProperties(plain, {
    isTTY: { value: true },
    columns: { get: () => output.columns },
    rows: { get: () => output.rows },
  });
}

const SGR = /\x1b\[[\d;]*m/g;
