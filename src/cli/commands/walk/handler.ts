import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readSource } from '../../../host/files/read-source.ts';
import { answerRun, type GivenAnswer, loadAnswerTools, questionOf } from '../../../operations/answer.ts';
import { attest } from '../../../operations/attest.ts';
import { begin } from '../../../operations/begin.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { next } from '../../../operations/next.ts';
import { loadRun } from '../../../operations/run/transact.ts';
import { revisionOf, uriOf } from '../../../operations/target.ts';
import { pendingStation } from '../../../run/state.ts';
import type { RunFields } from '../../../run/walk-fields.ts';
import type { ActorOptions, Call, Handler, SolutionOptions } from '../../command.ts';
import { RUN_ASSURANCE, withContext } from '../../context.ts';
import { type CliIo, EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { questionText, readAnswer } from '../../terminal/question.ts';
import { personMessage } from '../../views/demand.ts';
import { refuseBlank } from '../../views/next-command.ts';
import { namedRun } from '../../views/run.ts';
import { givenInputs } from '../run/inputs.ts';
import { type AskingStation, proofQuestion } from '../run/questions.ts';
import { askWith, RUN_EXIT } from '../run/session.ts';
import { printRunAnswer } from './answer-walk.ts';

/** `kairos begin`: creates a run and shows its first step. */
export const beginCommand: Handler<[string | undefined], BeginOptions> = async (call) => {
  const [named] = call.args;
  const { resume, requireTrust } = call.options;
  return withContext(call, { requireTrust, actor: call.options.actor }, async (ctx) => {
    if (named === undefined && resume !== true) {
      throw new KairosError('USAGE', "missing required argument 'target'", {
        hint:
          ctx.handover === undefined
            ? `Name a protocol. List the protocols with: ${ctx.commandLine(['list'])}`
            : `Name a protocol, or resume the run that was handed over: ${ctx.commandLine(['begin', '--resume'])}`,
      });
    }
    const uri = named === undefined ? undefined : await uriOf(ctx, named, call.io, true);
    // Only a `query` returns search results, and this call has none.
    const inputs = uri === undefined ? undefined : await inputsOfBegin(ctx, uri, call);
    const answer = (await begin(ctx, { uri, resume, inputs })) as RunFields;
    const code = await printRunAnswer(ctx, call, answer);
    return answer.error_code === 'INPUT_REQUIRED' ? RUN_EXIT.inputNeeded : code;
  });
};

export interface BeginOptions extends ActorOptions {
  resume?: boolean;
  requireTrust?: boolean;
  input?: string[];
  inputs?: string;
  inputsFromEnv?: boolean;
}

/** The inputs that flags, a file and the environment give; undefined without any. */
async function inputsOfBegin(
  ctx: OperationContext,
  uri: string,
  { options, io }: Call<[string | undefined], BeginOptions>,
): Promise<Record<string, unknown> | undefined> {
  const { input = [], inputs, inputsFromEnv } = options;
  if (input.length === 0 && inputs === undefined && inputsFromEnv !== true) return undefined;
  const declared = (await revisionOf(ctx, { kind: 'uri', uri })).content.inputs ?? {};
  return givenInputs(declared, { inputValues: input, inputs, inputsFromEnv }, io);
}

/** `kairos next`: submits a solution. A solution from the command line is always a claim. */
export const nextCommand: Handler<[string], SolutionOptions> = async (call) => {
  const { args, options, io } = call;
  const [uri] = args;
  const solution = await readSolutionOption(options.solution, io);
  return withContext(call, { actor: options.actor }, async (ctx) =>
    printRunAnswer(
      ctx,
      call,
      await next(ctx, { uri, solution, run_id: await runIdOf(ctx, call.output, options.run) }),
    ),
  );
};

/** `--run`: a whole id unchanged, so that the answer reports an unknown one; else the run that it names. */
async function runIdOf(
  ctx: OperationContext,
  output: Output,
  named: string | undefined,
): Promise<string | undefined> {
  return named === undefined || named.length === 36 ? named : (await namedRun(ctx, output, named)).runId;
}

/** `kairos attest`: closes a run and seals its ledger. */
export const attestCommand: Handler<[string, 'success' | 'failure', string], AttestOptions> = async (
  call,
) => {
  const { args, options, io } = call;
  const [protocol, outcome, message] = args;
  refuseBlank(message);
  const solution = await readSolutionOption(options.solution, io);
  return withContext(call, { actor: options.actor }, async (ctx) =>
    printRunAnswer(
      ctx,
      call,
      await attest(ctx, {
        uri: await uriOf(ctx, protocol, io),
        outcome,
        message,
        solution,
        run_id: await runIdOf(ctx, call.output, options.run),
        quality_bonus: options.qualityBonus,
        llm_model_id: options.model,
      }),
    ),
  );
};

export interface AttestOptions extends SolutionOptions {
  qualityBonus?: number;
  model?: string;
}

/**
 * `kairos answer`: asks the question at a terminal, and accepts the answer typed there as the person's own. A text on the
 * command line can come from any program, so it is a claim. With `--json`: the object of the run, or `{run_id, question}`
 * without a text.
 */
export const answerCommand: Handler<[string, string | undefined], ActorOptions> = (call) =>
  withContext(call, { maximumAssurance: RUN_ASSURANCE, actor: call.options.actor }, async (ctx) => {
    const { args, output } = call;
    const [reference, text] = args;
    const run = await namedRun(ctx, output, reference);
    const state = (await loadRun(ctx, run))?.state;
    const question = state === undefined ? null : questionOf(state);
    if (state === undefined || question === null) {
      if (text !== undefined) return printAnswered(ctx, call, await answerRun(ctx, run.runId, claimed(text)));
      if (output.json) output.object({ run_id: run.runId, question });
      else output.print('This run asks a person nothing just now.');
      return EXIT.ok;
    }
    const station = pendingStation(state) as AskingStation;
    const asked = proofQuestion(state.content, station, await loadAnswerTools(state.content))!;
    if (text !== undefined) {
      // A choice may be named by its number, as at the prompt; another text is judged with its reason.
      const reading = readAnswer(asked, text);
      const said = reading.ok ? String(reading.value) : text;
      return printAnswered(ctx, call, await answerRun(ctx, run.runId, claimed(said)));
    }
    if (output.json) {
      output.object({ run_id: run.runId, question });
      return EXIT.ok;
    }
    const { withPrompter } = await import('../../terminal/choose-prompter.ts');
    const typed = await withPrompter(call, {}, async (prompter) =>
      prompter.interactive ? askWith(prompter, asked) : null,
    );
    if (typed?.kind === 'answer') {
      const { value, assurance } = typed;
      const given = { text: String(value), assurance, station: question.station };
      return printAnswered(ctx, call, await answerRun(ctx, run.runId, given));
    }
    if (typed !== null) {
      output.note('Nothing was answered. The question stays open.');
      return typed.kind === 'stop' ? typed.code : RUN_EXIT.aborted;
    }
    output.print(questionText(asked, { terminal: false, edit: null }));
    output.note(`Answer with: ${ctx.commandLine(['answer', run.runId, 'TEXT'])}`);
    return EXIT.ok;
  });

function claimed(text: string): GivenAnswer {
  return { text, assurance: 'claimed' };
}

/** The result of an answer, in a person's words: agents read the object. */
async function printAnswered(
  ctx: OperationContext,
  call: Call<unknown[]>,
  answer: RunFields,
): Promise<number> {
  const { output } = call;
  if (output.json) return printRunAnswer(ctx, call, answer);
  const code = answer.error_code ?? null;
  const run = answer.run_id ?? '';
  if (code !== null) {
    output.note(`not accepted: ${escapeForTerminal(personMessage(answer))} (${answer.cause_code ?? code})`);
    output.note(`See the run with: ${ctx.commandLine(['runs', 'show', run])}`);
    return EXIT.failed;
  }
  output.print(
    answer.protocol_status === 'completed'
      ? 'The answer is recorded, and every step is done. The run still has to be closed.'
      : 'The answer is recorded. The run can continue.',
  );
  output.print(`To continue it here: ${ctx.commandLine(['resume', run])}`);
  return EXIT.ok;
}

/** Bytes of JSON that a solution may have: output of commands and results of tools may be long. */
const MAX_SOLUTION_BYTES = 16 * 1024 * 1024;

/** `--solution`: JSON text, `@FILE`, or `-` for standard input; undefined when it was not given. */
export async function readSolutionOption(text: string | undefined, io: CliIo): Promise<unknown> {
  if (text === undefined) return undefined;
  const limits = { maxBytes: MAX_SOLUTION_BYTES };
  if (text === '-') return parse(await readSource('-', io, limits), 'standard input');
  if (text.startsWith('@')) {
    const path = text.slice(1);
    return parse(await readSource(path, io, limits), path);
  }
  return parse(text, '--solution');
}

function parse(json: string, where: string): unknown {
  const value = parseJson(json, where);
  const { user_input, comment } = (value ?? {}) as Record<string, { confirmation?: unknown; text?: unknown }>;
  refuseBlank(user_input?.confirmation);
  refuseBlank(comment?.text);
  return value;
}

function parseJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new KairosError(
      'INVALID_INPUT',
      `the solution in ${where} is not valid JSON: ${(cause as Error).message}`,
      { hint: 'Replace everything in angle brackets, and quote the whole JSON text.', cause },
    );
  }
}
