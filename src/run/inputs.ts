import { keptNumber } from '../base/json.ts';
import { cleanText } from '../ledger/entry.ts';
import type { PatternTools } from '../proof/verdict.ts';
import { exactReferences, NUMBER, REFERENCE, referencesIn, withReferences } from '../protocol/inputs.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { CaptureDefinition, InputDefinition, StepBlock } from '../protocol/schema.ts';
import type { RedactAlso } from './ports.ts';
import { MESSAGES } from './wording.ts';

/** Values by name, as commands get them. */
export type NamedValues = Readonly<Record<string, string>>;

/** The inputs of a protocol, in the order of the document. */
export function inputsOf(content: ChainContent): Record<string, InputDefinition> {
  return content.inputs ?? {};
}

/** The captures of a step. */
export function capturesOf(block: StepBlock): CaptureDefinition[] {
  return block.captures ?? [];
}

/** A secret shorter than this would be found in ordinary words, so its value could not be redacted. */
const MIN_SECRET = 6;

/** In bytes. Linux allows a variable 128 KiB with its name, and no command starts with a longer one. */
const MAX_VALUE = 131_000;

/** Why no command can get a value, or no record can hide it: what is expected instead. Null for a usable value. */
export function valueFault(value: string, isSecret: boolean): string | null {
  if (value.includes('\0') || cleanText(value) !== value)
    return 'a text without NUL or DEL characters and lone surrogates';
  if (Buffer.byteLength(value) > MAX_VALUE) return `at most ${MAX_VALUE} bytes`;
  return isSecret && value.length < MIN_SECRET ? `at least ${MIN_SECRET} characters` : null;
}

/** What is given for the inputs of a protocol: the values, defaults included, and everything that is wrong. */
export interface InputReading {
  values: Record<string, string>;
  missing: string[];
  /** One sentence each; the value of a secret is never in it. */
  faults: string[];
}

/** Checks values (texts, numbers or booleans) against the declared inputs. `resumed`: only secrets, which are on no record. */
export function readInputValues(
  declared: Readonly<Record<string, InputDefinition>>,
  given: Readonly<Record<string, unknown>>,
  patterns: Pick<PatternTools, 'fullMatch'>,
): InputReading {
  const reading: InputReading = { values: {}, missing: [], faults: [] };
  for (const name of Object.keys(given))
    if (!Object.hasOwn(declared, name)) reading.faults.push(notAnInput(name, declared));
  for (const [name, input] of Object.entries(declared)) {
    const raw = given[name] ?? input.default;
    if (raw === undefined || raw === null) {
      reading.missing.push(name);
      continue;
    }
    const fault = ['string', 'number', 'boolean'].includes(typeof raw)
      ? inputValueFault(input, String(raw), patterns)
      : 'a text, a number, true or false';
    if (fault === null) reading.values[name] = String(raw);
    else
      reading.faults.push(
        input.secret === true
          ? `The value of ${name} is invalid. Expected: ${fault}.`
          : `${name} is ${shortened(JSON.stringify(raw))}. Expected: ${fault}.`,
      );
  }
  return reading;
}

const shortened = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Returns what an input requires when the value doesn't fit, or null. */
export function inputValueFault(
  { pattern, choices, type, secret }: InputDefinition,
  value: string,
  patterns: Pick<PatternTools, 'fullMatch'>,
): string | null {
  const unusable = valueFault(value, secret === true);
  if (unusable !== null) return unusable;
  if (type === 'number' && !NUMBER.test(value)) return 'a number';
  if (type === 'boolean' && value !== 'true' && value !== 'false') return 'true or false';
  if (choices !== undefined && !choices.includes(value)) return `one of ${choices.join(', ')}`;
  const isMatch = pattern === undefined || patterns.fullMatch(pattern, value);
  if (isMatch === undefined) return `a shorter text, because the pattern ${pattern} is too slow for this one`;
  return isMatch ? null : `a text that matches ${pattern}`;
}

/** What is wrong with a name that a protocol doesn't declare. */
export function notAnInput(name: string, declared: Readonly<Record<string, InputDefinition>>): string {
  const names = Object.keys(declared);
  return `${name} is not an input of this protocol; it has ${names.length === 0 ? 'none' : names.join(', ')}.`;
}

/** What a run records of its inputs: the value, of a secret only that it was given. */
export function recordedInputs(
  values: NamedValues,
  secrets: NamedValues,
): { inputs?: Record<string, string>; secret_inputs?: string[] } {
  const names = Object.keys(values);
  if (names.length === 0) return {};
  return {
    inputs: without(values, secrets),
    secret_inputs: names.filter((name) => Object.hasOwn(secrets, name)),
  };
}

/** The values that are in the clear on record. */
export function without(values: NamedValues, secrets: NamedValues): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(secrets, name)));
}

/** A redaction, as a text shows it. */
const MARKER = /\[redacted:[^\]\n]+\]/;

/** Whether a text may have a redaction in place of a value. */
export function hasRedaction(text: string): boolean {
  return MARKER.test(text);
}

/**
 * The values that the record can't have: those of names that are secret, and all others that redaction would change. Commands
 * get every value unchanged, so a redacted one is never read back.
 */
export function secretsAmong(
  values: NamedValues,
  isSecret: (name: string) => boolean,
  redactAlso: RedactAlso,
): Record<string, string> {
  const secrets = Object.fromEntries(Object.entries(values).filter(([name]) => isSecret(name)));
  for (;;) {
    const redact = redactAlso(secrets);
    const open = Object.entries(without(values, secrets));
    const hidden = open.filter(([, value]) => hasRedaction(value) || redact(value) !== value);
    if (hidden.length === 0) return secrets;
    Object.assign(secrets, Object.fromEntries(hidden));
  }
}

/** The names that a content declares as secret. */
export function secretNames({ inputs = {}, steps }: ChainContent): ReadonlySet<string> {
  const captures = steps.flatMap(({ block }) => (block === null ? [] : capturesOf(block)));
  const named = [...Object.entries(inputs).map(([name, { secret }]) => ({ name, secret })), ...captures];
  return new Set(named.filter(({ secret }) => secret === true).map(({ name }) => name));
}

/** Why a value can't be used where it decides what a step calls or checks: it is secret, or it would widen a path. Null: none is. */
export function misuse(
  { steps }: Pick<ChainContent, 'steps'>,
  values: NamedValues,
  secrets: readonly string[],
): string | null {
  for (const [at, { block }] of steps.entries()) {
    if (block === null) continue;
    const secret = exactReferences(block).find((name) => secrets.includes(name));
    if (secret !== undefined) return MESSAGES.valueMisused(secret, at + 1, 'is a secret or looks like one');
    const inPaths = (block.outputs ?? []).flatMap(({ path }) => referencesIn(path));
    const wild = inPaths.find((name) => /[*?{}]/.test(values[name] ?? ''));
    if (wild !== undefined) return MESSAGES.valueMisused(wild, at + 1, 'has a wildcard (*, ?, { or })');
  }
  return null;
}

/** Values of inputs with a type, where JSON has them as that type. */
type TypedValues = ReadonlyMap<string, number | boolean>;

/** A number that a double can't represent stays a text, because a tool must not get another one. */
function typedValues(content: ChainContent, values: NamedValues): TypedValues {
  const typed = new Map<string, number | boolean>();
  for (const [name, { type }] of Object.entries(inputsOf(content))) {
    if (type === undefined || !Object.hasOwn(values, name)) continue;
    const value = type === 'boolean' ? values[name] === 'true' : keptNumber(values[name]!);
    if (value !== null) typed.set(name, value);
  }
  return typed;
}

/** A text that is one reference and nothing else. */
const WHOLE = new RegExp(`^${REFERENCE.source}$`);

/**
 * Replaces `{{NAME}}` in every text of a value. A name without a value stays as written. `typed`: a text that is one reference
 * becomes the number or boolean.
 */
function filled<T>(value: T, values: NamedValues, typed?: TypedValues): T {
  if (typeof value === 'string')
    return (typed?.get(WHOLE.exec(value)?.[1] ?? '') ?? withReferences(value, values)) as T;
  if (Array.isArray(value)) return value.map((item) => filled(item, values, typed)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filled(item, values, typed)]),
  ) as T;
}

/**
 * The content as a run shows it. Commands and patterns stay as written: values never get into them. Texts that are only shown
 * have the redaction of secrets.
 */
export function filledContent(
  content: ChainContent,
  values: NamedValues,
  secrets: readonly string[] = [],
): ChainContent {
  if (Object.keys(values).length === 0 && secrets.length === 0) return content;
  const shown = { ...Object.fromEntries(secrets.map((name) => [name, `[redacted:${name}]`])), ...values };
  const typed = typedValues(content, values);
  return {
    ...content,
    steps: content.steps.map(({ label, body, block }) => ({
      label,
      body: filled(body, shown),
      block: block === null ? null : filledBlock(block, values, shown, typed),
    })),
  };
}

function filledBlock(
  block: StepBlock,
  values: NamedValues,
  shown: NamedValues,
  typed: TypedValues,
): StepBlock {
  const { proof_of_work: proof, outputs, sampling } = block;
  return {
    ...block,
    ...(proof === undefined ? {} : { proof_of_work: filledProof(proof, values, shown, typed) }),
    ...(outputs === undefined
      ? {}
      : {
          outputs: outputs.map((output) => ({
            ...output,
            path: filled(output.path, values),
            ...(output.equals === undefined ? {} : { equals: filled(output.equals, values, typed) }),
          })),
        }),
    ...(sampling === undefined
      ? {}
      : {
          sampling: {
            ...sampling,
            system: filled(sampling.system, shown),
            prompt: filled(sampling.prompt, shown),
          },
        }),
  };
}

function filledProof(
  proof: NonNullable<StepBlock['proof_of_work']>,
  values: NamedValues,
  shown: NamedValues,
  typed: TypedValues,
) {
  if (proof.type === 'user_input') {
    const { prompt, choices } = proof.user_input;
    return {
      ...proof,
      user_input: {
        ...proof.user_input,
        prompt: filled(prompt, shown),
        ...(choices === undefined ? {} : { choices: filled(choices, values) }),
      },
    };
  }
  if (proof.type !== 'mcp') return proof;
  const { arguments: args, expected_result: expected } = proof.mcp;
  return {
    ...proof,
    mcp: {
      ...proof.mcp,
      ...(args === undefined ? {} : { arguments: filled(args, values, typed) }),
      ...(expected === undefined ? {} : { expected_result: filled(expected, values, typed) }),
    },
  };
}
