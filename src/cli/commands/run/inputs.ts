import { resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { answerFault } from '../../../operations/answer.ts';
import { inputText, readGiven, requireNoFaults } from '../../../operations/run/inputs.ts';
import type { ProofTools } from '../../../proof/verdict.ts';
import type { InputDefinition } from '../../../protocol/schema.ts';
import type { CliIo } from '../../io.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { describeQuestion, type FormQuestion } from '../../terminal/question.ts';
import { RUN_EXIT, STOPS, type Stop, stop } from './session.ts';

/** Flags that give inputs. */
export interface InputOptions {
  /** `--input NAME=VALUE`, repeatable. */
  inputValues?: string[];
  /** A file in YAML or JSON. */
  inputs?: string;
  inputsFromEnv?: boolean;
}

type Declared = Readonly<Record<string, InputDefinition>>;

/** What flags, a file and the environment give for the declared inputs; flags come first. */
export async function givenInputs(
  declared: Declared,
  { inputValues = [], inputs, inputsFromEnv }: InputOptions,
  { cwd, env }: Pick<CliIo, 'cwd' | 'env'>,
): Promise<Record<string, unknown>> {
  const fromEnv = Object.keys(declared).flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  const flags = inputValues.map((text) => {
    const at = text.indexOf('=');
    if (at <= 0)
      throw new KairosError('USAGE', `--input ${JSON.stringify(text)} is invalid`, {
        hint: 'Write --input NAME=VALUE.',
      });
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const twice = flags.find(([name], at) => flags.slice(0, at).some(([before]) => before === name));
  if (twice !== undefined)
    throw new KairosError('USAGE', `--input ${twice[0]} is given twice`, { hint: 'Give each input once.' });
  return {
    ...(inputsFromEnv === true ? Object.fromEntries(fromEnv) : {}),
    ...(inputs === undefined ? {} : await inputsFile(resolve(cwd, inputs))),
    ...Object.fromEntries(flags),
  };
}

/** A mapping of names to values. Throws INVALID_INPUT for anything else. */
async function inputsFile(path: string): Promise<Record<string, string>> {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new KairosError('FILE_UNREADABLE', `the inputs file ${path} cannot be read: ${cause.message}`, {
      hint: 'Check the path and its permissions.',
      cause,
    });
  });
  const { parseInputs } = await import('../../terminal/parse-answers.ts');
  return parseInputs(text, path);
}

/** The question for one input. */
export function inputQuestion(
  name: string,
  input: InputDefinition,
  tools: Pick<ProofTools, 'patterns'>,
  isOther: (name: string, value: string) => boolean = () => false,
): FormQuestion {
  const message = `${name}${input.description === undefined ? '' : `: ${input.description}`}`;
  const fallback = input.default === undefined ? {} : { default: input.default };
  const common = { name: `input.${name}`, message, label: name, hint: inputText(input), ...fallback };
  const choices = input.choices ?? (input.type === 'boolean' ? ['true', 'false'] : undefined);
  if (choices !== undefined)
    return { kind: 'choice', ...common, options: choices.map((value) => ({ value })) };
  return {
    kind: 'text',
    ...common,
    ...(input.secret === true ? { hidden: true } : {}),
    check: (value) => {
      if (value === '' && input.default === undefined) return 'Expected: a value.';
      if (isOther(name, value)) return 'Expected: the value that this run had before.';
      const fault = answerFault(input, value, tools);
      return fault === null || `Expected: ${fault}.`;
    },
  };
}

/** The inputs that are still missing, as questions. Throws INVALID_INPUT for values that do not fit. */
export async function missingInputs(
  declared: Declared,
  given: Readonly<Record<string, unknown>>,
  tools: Pick<ProofTools, 'patterns'>,
): Promise<FormQuestion[]> {
  const { missing, faults } = await readGiven(declared, given);
  requireNoFaults(faults);
  return missing.map((name) => inputQuestion(name, declared[name]!, tools));
}

/**
 * Asks for the inputs that are still missing. A person at a terminal sees the defaults of the others with them and can change
 * them. Returns all inputs, or why the run stops.
 */
export async function askInputs(
  prompter: Prompter,
  {
    title,
    declared,
    isOther,
  }: { title: string; declared: Declared; isOther?: Parameters<typeof inputQuestion>[3] },
  given: Readonly<Record<string, unknown>>,
  tools: Pick<ProofTools, 'patterns'>,
): Promise<{ kind: 'inputs'; inputs: Record<string, unknown> } | Stop> {
  const missing = await missingInputs(declared, given, tools);
  if (missing.length === 0) return { kind: 'inputs', inputs: { ...given } };
  const open = Object.keys(declared).filter((name) => given[name] === undefined);
  const questions = prompter.interactive
    ? open.map((name) => inputQuestion(name, declared[name]!, tools, isOther))
    : missing;
  const answer = await prompter.form({ message: `Inputs of "${title}" (Enter continues)`, questions });
  if (answer.kind === 'interrupt')
    return answer.exitCode === null ? STOPS.aborted() : STOPS.signal(answer.exitCode);
  if (answer.kind !== 'answer') {
    const names = missing.map(({ label }) => label).join(', ');
    const reason = `Inputs are missing: ${names}. Give them with --input NAME=VALUE.`;
    return stop(RUN_EXIT.inputNeeded, reason, missing.map(describeQuestion));
  }
  const asked = questions.map(({ label }, at) => [label!, answer.value[at]] as const);
  return { kind: 'inputs', inputs: { ...given, ...Object.fromEntries(asked) } };
}
