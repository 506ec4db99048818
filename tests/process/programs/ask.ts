import { spawn } from 'node:child_process';
import { readAnswersFile } from '../../../src/cli/commands/run/open-session.ts';
import { choosePrompter, type PromptFlags } from '../../../src/cli/terminal/choose-prompter.ts';
import { watchSignals } from '../../../src/cli/terminal/interrupt.ts';
import { matchAnswers } from '../../../src/cli/terminal/match-answers.ts';
import type { Form, Prompter } from '../../../src/cli/terminal/prompter.ts';
import type { AnswerCheck, FormQuestion, Question } from '../../../src/cli/terminal/question.ts';
/** What the program does, one after the other: ask, or work until told to stop. */
export type Task =
  | (Question & { minLength?: number })
  | ({ kind: 'form' } & Form)
  | { kind: 'work'; stopMs: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'child'; command: string };

export interface AskScript {
  tasks: Task[];
  flags?: PromptFlags;
  /** Given with --answers; every question of the tasks is expected. */
  answersFile?: string;
}

const { tasks, flags = {}, answersFile } = JSON.parse(process.argv[2] ?? '') as AskScript;
const interrupts = watchSignals(process);
if (answersFile !== undefined) {
  const expected = tasks.flatMap((task) => ('name' in task ? [{ question: task, required: true }] : []));
  flags.answers = matchAnswers(await readAnswersFile(answersFile), expected);
}
const prompter = choosePrompter({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  flags,
  interrupts,
});

say({ backEnd: prompter.backEnd, interactive: prompter.interactive });
try {
  for (const task of tasks) {
    if (interrupts.exitCode !== null) break;
    say(await perform(task, prompter));
  }
} catch (error) {
  say({ error: (error as { code?: string }).code, message: (error as Error).message });
  process.exitCode = 2;
}
say({ unanswered: prompter.unanswered.map(({ id }) => id) });
prompter.close();
interrupts.dispose();
process.exitCode = interrupts.exitCode ?? process.exitCode;

function say(data: unknown): void {
  process.stdout.write(`OUT ${JSON.stringify(data)}\n`);
}

async function perform(task: Task, on: Prompter): Promise<unknown> {
  if (task.kind === 'wait') return new Promise((resolve) => setTimeout(() => resolve('waited'), task.ms));
  if (task.kind === 'child') return interrupts.handOver(() => child(task.command));
  if (task.kind === 'work') return work(task.stopMs);
  if (task.kind === 'form') return on.form({ ...task, questions: task.questions.map(checkedPattern) });
  const check: AnswerCheck = (value) =>
    value.length >= (task.minLength ?? 0) ||
    `${(task.minLength ?? 0) - value.length} more characters, please.`;
  switch (task.kind) {
    case 'confirm':
      return on.confirm(task);
    case 'text':
      return on.text({ ...task, check });
    case 'editor':
      return on.editor({ ...task, check });
    case 'phrase':
      return on.phrase(task);
    case 'choice':
      return on.choice(task);
    case 'action':
      return on.action(task);
  }
}

/** The check of a line of a form, which JSON cannot carry. */
function checkedPattern(question: FormQuestion): FormQuestion {
  if (question.kind !== 'text') return question;
  return { ...question, check: (value) => /^[a-z0-9]+$/.test(value) || 'Expected: letters and digits.' };
}

/** Works until it is stopped, then takes `stopMs` to stop, unless it is killed. */
async function work(stopMs: number): Promise<unknown> {
  process.stdout.write('WORKING\n');
  const { value, interrupted } = await interrupts.during(async ({ stop, kill }) => {
    const keepAlive = setInterval(() => {}, 1000);
    await aborted(stop);
    process.stdout.write('STOPPING\n');
    const how = await Promise.race([
      aborted(kill).then(() => 'killed'),
      new Promise((resolve) => setTimeout(() => resolve('stopped'), stopMs).unref()),
    ]);
    clearInterval(keepAlive);
    return how;
  });
  return { work: value, interrupted };
}

/** A command that has the terminal to itself. */
function child(command: string): Promise<unknown> {
  return new Promise((resolve) => {
    spawn('/bin/sh', ['-c', command], { stdio: 'inherit' }).on('exit', (code) => resolve({ child: code }));
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}
