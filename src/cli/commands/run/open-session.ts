import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { declaredInputs } from '../../../operations/run/inputs.ts';
import type { ProofTools } from '../../../proof/verdict.ts';
import type { Host } from '../../context.ts';
import { prompterOf } from '../../terminal/choose-prompter.ts';
import type { Interrupts } from '../../terminal/interrupt.ts';
import { type GivenAnswers, matchAnswers, unusableAnswers } from '../../terminal/match-answers.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { inputQuestion } from './inputs.ts';
import { expectedQuestions } from './questions.ts';
import { jsonReporter } from './report.ts';
import { humanReporter } from './report-human.ts';
import type { RunSession } from './session.ts';
import type { RunCall, RunTarget } from './subject.ts';

/** Returns the prompter, and the inputs of the answers file. Checks that file against the protocol first; throws INVALID_INPUT. */
export async function openPrompter(
  call: RunCall,
  interrupts: Interrupts,
  { revision, from, isProposed }: RunTarget,
  tools: ProofTools,
): Promise<{ prompter: Prompter; inputs: Record<string, string> }> {
  const { io, options } = call;
  const inputs = Object.entries(declaredInputs(revision)).map(([name, input]) =>
    inputQuestion(name, input, tools),
  );
  const answers =
    options.answers === undefined
      ? undefined
      : matchAnswers(await readAnswersFile(resolve(io.cwd, options.answers)), [
          ...inputs.map((question) => ({ question, required: false })),
          ...expectedQuestions(revision.content, tools, from, isProposed),
        ]);
  const prompter = prompterOf(call, interrupts, {
    noInput: options.input === false,
    // An answers file confirms the run. Trust and dangerous commands still need a person.
    yes: options.yes === true || answers !== undefined,
    ...(answers === undefined ? {} : { answers }),
  });
  const given = inputs.flatMap(({ name, label }) => {
    const value = answers?.get(name);
    return value === undefined ? [] : [[label!, value] as const];
  });
  return { prompter, inputs: Object.fromEntries(given) };
}

/** Returns the session of a run that exists. */
export async function openSession(
  ctx: OperationContext,
  host: Host,
  { io, options, output }: RunCall,
  parts: Pick<RunSession, 'interrupts' | 'prompter' | 'tools' | 'runId'> & { subject: RunTarget },
): Promise<RunSession> {
  const { subject, ...rest } = parts;
  const plain = io.env.TERM === 'dumb' || Boolean(io.env.ACCESSIBLE);
  return {
    ...rest,
    ctx,
    io,
    content: subject.revision.content,
    reporter: output.json ? jsonReporter(output) : humanReporter(output, io, plain),
    redactor: host.redactor(),
    root: subject.settled.place.workdir,
    trusted: options.trust ?? [],
    contain: options.contain === true,
    hasTerminal: io.stdin.isTTY === true && io.stdout.isTTY === true,
    yes: options.yes === true || options.answers !== undefined,
    triesAgain: null,
  };
}

/** Bytes; the same limit as for protocols. */
const MAX_SIZE = 1024 * 1024;

/**
 * Reads `--answers FILE`: YAML 1.2 or JSON, `answers: {<step number, label, slug of a label, or question id>:
 * <text>}`, or `{<question name>: <text>}` instead of the text. A proposal may also be a mapping. Scalars are
 * kept as written (`1.10` stays `1.10`), without the line break at the end of a block. Aliases, anchors and
 * tags are rejected. Throws FILE_UNREADABLE or INVALID_INPUT.
 */
export async function readAnswersFile(path: string): Promise<GivenAnswers> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new KairosError(
      'FILE_UNREADABLE',
      `Cannot read the answers file ${path}: ${(cause as Error).message}`,
      { hint: 'Name a readable YAML or JSON file.', cause },
    );
  }
  if (bytes.length > MAX_SIZE) throw unusableAnswers(path, 'it is larger than 1 MiB');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unusableAnswers(path, 'it is not UTF-8');
  }
  const { parseAnswers } = await import('../../terminal/parse-answers.ts');
  return parseAnswers(text, path);
}
