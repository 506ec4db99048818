import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { KairosError } from '../../base/errors.ts';
import type { Call } from '../command.ts';
import { type ColorFlag, decideColor, isFlagSet } from '../output.ts';
import { createEditor, editorCommand } from './editor.ts';
import { type Interrupts, watchSignals } from './interrupt.ts';
import { createPlainAsk } from './plain-prompter.ts';
import {
  type AskBackEnd,
  type BackEnd,
  createPrompter,
  type Prompter,
  type PrompterParts,
} from './prompter.ts';
import { describeQuestion, questionId, readAnswer } from './question.ts';
import { createRichAsk, createRichForm } from './rich-prompter.ts';

export interface PromptFlags {
  /** Answers by question id, from `matchAnswers`. */
  answers?: ReadonlyMap<string, string>;
  noInput?: boolean;
  yes?: boolean;
  /** Standard output carries events, so questions never go there. */
  json?: boolean;
  color?: ColorFlag;
}

export interface PromptSituation {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  flags: Pick<PromptFlags, 'noInput' | 'json'> & { answers?: unknown };
}

/**
 * Which prompter answers. `stdin`, `stdout` and `stderr` are true for terminals. `--answers`, then
 * `--no-input`, come first. A pipe is read in plain lines. A terminal under CI has no person. A simple
 * terminal, or one that can't draw a question, gets plain lines.
 */
export function decideBackEnd({ stdin, stdout, stderr, env, platform, flags }: PromptSituation): BackEnd {
  if (flags.answers !== undefined) return 'answers';
  if (flags.noInput) return 'none';
  if (!stdin) return 'plain';
  if (isFlagSet(env.CI)) return 'none';
  if (isFlagSet(env.ACCESSIBLE) || env.TERM === 'dumb' || (!env.TERM && platform !== 'win32')) return 'plain';
  return stderr || (stdout && !flags.json) ? 'rich' : 'plain';
}

interface PromptStreams {
  stdin: ReadStream;
  stdout: WriteStream;
  stderr: WriteStream;
}

/** Milliseconds. A pipe that stays open and silent for this long counts as having no writer. */
const DEFAULT_PATIENCE_MS = 10_000;

/**
 * The prompter for this situation. Questions go to standard error, or to standard output if only that is a
 * terminal. If a pipe stays silent for `KAIROS_ANSWER_TIMEOUT` seconds (10; 0: no limit), its question gets
 * no answer.
 */
export function choosePrompter(
  input: PromptStreams & { env: NodeJS.ProcessEnv; flags: PromptFlags; interrupts: Interrupts },
): Prompter {
  const { stdin, stdout, stderr, env, flags, interrupts } = input;
  const terminal = stdin.isTTY === true;
  const backEnd = decideBackEnd({
    stdin: terminal,
    stdout: stdout.isTTY === true,
    stderr: stderr.isTTY === true,
    env,
    platform: process.platform,
    flags,
  });
  const output = stderr.isTTY || !stdout.isTTY || flags.json ? stderr : stdout;
  const editor = editorCommand(env);
  const edit = editor === null ? null : createEditor(editor, { env, interrupts });
  const interactive = terminal && (backEnd === 'rich' || backEnd === 'plain');

  const { ask, askForm, surplus, close } = backEndParts();
  return createPrompter({
    backEnd,
    interactive,
    interrupts,
    ask: flags.yes ? answeringYes(ask) : ask,
    ...(askForm === undefined ? {} : { askForm }),
    whyUnanswered: whyUnanswered(backEnd, flags, env),
    ...(surplus === undefined ? {} : { surplus }),
    ...(close === undefined ? {} : { close }),
  });

  function backEndParts(): Pick<PrompterParts, 'ask' | 'askForm' | 'surplus' | 'close'> {
    switch (backEnd) {
      case 'answers':
        return { ask: createAnswersAsk(flags.answers ?? new Map()) };
      case 'none':
        return { ask: unansweredBackEnd };
      case 'plain':
        return createPlainAsk({
          input: stdin,
          output: flags.json === true && !terminal ? silent() : output,
          terminal,
          edit,
          patienceMs: patience(env),
        });
      case 'rich': {
        const color = decideColor({ flag: flags.color ?? 'auto', env, terminal: output.isTTY === true });
        const rich = { input: stdin, output, color, edit };
        return { ask: createRichAsk(rich), askForm: createRichForm(rich) };
      }
    }
  }
}

/** Why a question has no answer, and what gives it one. */
function whyUnanswered(backEnd: BackEnd, { noInput }: PromptFlags, env: NodeJS.ProcessEnv): string {
  if (backEnd === 'answers') return 'The answers file has no answer to it.';
  if (backEnd === 'none')
    return noInput
      ? 'kairos asks nothing because of --no-input.'
      : 'kairos asks nothing because the variable CI is set. To be asked at this terminal, unset it.';
  const limit = patience(env);
  return limit === undefined
    ? ''
    : `Standard input was silent for ${limit / 1000} s. To wait longer, set KAIROS_ANSWER_TIMEOUT to a number of seconds, or to 0 for no limit.`;
}

function patience(env: NodeJS.ProcessEnv): number | undefined {
  const seconds = Number(env.KAIROS_ANSWER_TIMEOUT || Number.NaN);
  if (!Number.isFinite(seconds) || seconds < 0) return DEFAULT_PATIENCE_MS;
  return seconds === 0 ? undefined : seconds * 1000;
}

/** Programs get the questions as events, so they are not printed to them as well. */
function silent(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Leaves every question unanswered. */
export const unansweredBackEnd: AskBackEnd = async () => ({ kind: 'unanswered' });

/**
 * Answers from a file, by question id (see `matchAnswers`), each used once: a question asked again stays
 * unanswered. Throws INVALID_INPUT for an answer that the current question rejects.
 */
export function createAnswersAsk(answers: ReadonlyMap<string, string>): AskBackEnd {
  const left = new Map(answers);
  return async (question) => {
    const id = questionId(question);
    const text = left.get(id);
    if (text === undefined) return { kind: 'unanswered' };
    left.delete(id);
    const reading = readAnswer(question, text);
    if (reading.ok) return { kind: 'answer', value: reading.value, assurance: 'claimed' };
    throw new KairosError('INVALID_INPUT', `The answer to ${id} is invalid: ${reading.reason}`, {
      hint: 'Correct it in the answers file and resume the run.',
      data: describeQuestion(question),
    });
  };
}

/** `--yes`: gives every confirmation that doesn't need a person, as a claim; passes everything else on. */
export function answeringYes(ask: AskBackEnd): AskBackEnd {
  return async (question, signal) => {
    if (question.kind !== 'confirm' || question.byHand) return ask(question, signal);
    return { kind: 'answer', value: true, assurance: 'claimed' };
  };
}

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
