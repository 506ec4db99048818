import { atPointer } from '../base/json.ts';
import type { PatternTools } from '../proof/verdict.ts';
import { withReferences } from '../protocol/inputs.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { CaptureDefinition, InputDefinition, StepBlock } from '../protocol/schema.ts';
import type { ValueDigest } from './ports.ts';

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
export const MIN_SECRET = 6;

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
          : `${name} is ${JSON.stringify(raw)}. Expected: ${fault}.`,
      );
  }
  return reading;
}

/** Returns what an input requires when the value doesn't fit, or null. */
export function inputValueFault(
  { pattern, choices, type, secret }: InputDefinition,
  value: string,
  patterns: Pick<PatternTools, 'fullMatch'>,
): string | null {
  if (value.includes('\0')) return 'a text without NUL characters';
  if (secret === true && value.length < MIN_SECRET) return `at least ${MIN_SECRET} characters`;
  if (type === 'number' && !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(value)) return 'a number';
  if (type === 'boolean' && value !== 'true' && value !== 'false') return 'true or false';
  if (choices !== undefined && !choices.includes(value)) return `one of ${choices.join(', ')}`;
  if (pattern !== undefined && !patterns.fullMatch(pattern, value)) return `a text that matches ${pattern}`;
  return null;
}

/** What is wrong with a name that a protocol doesn't declare. */
export function notAnInput(name: string, declared: Readonly<Record<string, InputDefinition>>): string {
  const names = Object.keys(declared);
  return `${name} is not an input of this protocol; it has ${names.length === 0 ? 'none' : names.join(', ')}.`;
}

/** The inputs as JSON Schema, for agents. */
export function inputSchemaOf(declared: Readonly<Record<string, InputDefinition>>): Record<string, unknown> {
  const properties = Object.entries(declared).map(([name, input]) => {
    const { description, pattern, choices, type, secret } = input;
    const schema = {
      type: type ?? 'string',
      ...(description === undefined ? {} : { description }),
      ...(choices === undefined ? {} : { enum: choices }),
      ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
      ...(input.default === undefined ? {} : { default: input.default }),
      ...(secret === true ? { writeOnly: true } : {}),
    };
    return [name, schema] as const;
  });
  const required = Object.keys(declared).filter((name) => declared[name]?.default === undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

/** What a run records of its inputs: the value, of a secret only that it was given. */
export function recordedInputs(
  declared: Readonly<Record<string, InputDefinition>>,
  values: NamedValues,
): { inputs: Record<string, string>; secret_inputs: string[] } {
  const isSecret = (name: string) => declared[name]?.secret === true;
  const names = Object.keys(values);
  return {
    inputs: Object.fromEntries(names.filter((name) => !isSecret(name)).map((name) => [name, values[name]!])),
    secret_inputs: names.filter(isSecret),
  };
}

/** What `run.begun` and later entries record of secrets: their keyed digests by name. */
export function secretDigests(
  digest: ValueDigest | undefined,
  runId: string,
  secrets: NamedValues,
): { secret_digests?: Record<string, string> } {
  const entries = Object.entries(secrets);
  if (digest === undefined || entries.length === 0) return {};
  return {
    secret_digests: Object.fromEntries(entries.map(([name, value]) => [name, digest(runId, name, value)])),
  };
}

/** Whether a value is the one that was digested. `unknown`: another key digested it. */
export function compareDigests(recorded: string, given: string): 'same' | 'other' | 'unknown' {
  if (recorded === given) return 'same';
  return recorded.split(':')[0] === given.split(':')[0] ? 'other' : 'unknown';
}

/** The values of inputs that are secret. */
export function secretValuesOf(
  declared: Readonly<Record<string, InputDefinition>>,
  values: NamedValues,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => declared[name]?.secret === true));
}

/** Replaces `{{NAME}}` in every text of a value. A name without a value stays as written. */
export function filled<T>(value: T, values: NamedValues): T {
  if (typeof value === 'string') return withReferences(value, values) as T;
  if (Array.isArray(value)) return value.map((item) => filled(item, values)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, values)])) as T;
}

/** The content as a run shows it. Commands and patterns stay as written: values never get into them. */
export function filledContent(content: ChainContent, values: NamedValues): ChainContent {
  if (Object.keys(values).length === 0) return content;
  return {
    ...content,
    steps: content.steps.map(({ label, body, block }) => ({
      label,
      body: filled(body, values),
      block: block === null ? null : filledBlock(block, values),
    })),
  };
}

function filledBlock(block: StepBlock, values: NamedValues): StepBlock {
  const { proof_of_work: proof, outputs, sampling } = block;
  return {
    ...block,
    ...(proof === undefined ? {} : { proof_of_work: filledProof(proof, values) }),
    ...(outputs === undefined
      ? {}
      : {
          outputs: outputs.map((output) => ({
            ...output,
            path: filled(output.path, values),
            ...(output.equals === undefined ? {} : { equals: filled(output.equals, values) }),
          })),
        }),
    ...(sampling === undefined
      ? {}
      : {
          sampling: {
            ...sampling,
            system: filled(sampling.system, values),
            prompt: filled(sampling.prompt, values),
          },
        }),
  };
}

function filledProof(proof: NonNullable<StepBlock['proof_of_work']>, values: NamedValues) {
  if (proof.type === 'user_input') {
    const { prompt, choices } = proof.user_input;
    return {
      ...proof,
      user_input: {
        ...proof.user_input,
        prompt: filled(prompt, values),
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
      ...(args === undefined ? {} : { arguments: filled(args, values) }),
      ...(expected === undefined ? {} : { expected_result: filled(expected, values) }),
    },
  };
}

/** The captured values of an accepted proof; the name of the first capture that finds nothing. `proof`: as the ledger keeps it. */
export function takeCaptures(
  captures: readonly CaptureDefinition[],
  type: string,
  proof: Readonly<Record<string, unknown>>,
  patterns: Pick<PatternTools, 'capture'>,
): { ok: true; values: Record<string, string> } | { ok: false; name: string } {
  const values: Record<string, string> = {};
  for (const { name, from, pattern, json_pointer } of captures) {
    const source = sourceOf(from, type, proof);
    const pointed = json_pointer === undefined ? source : pointedText(source, json_pointer);
    const value = pointed === null || pattern === undefined ? pointed : patterns.capture(pattern, pointed);
    if (value === null) return { ok: false, name };
    values[name] = value;
  }
  return { ok: true, values };
}

function sourceOf(from: CaptureDefinition['from'], type: string, proof: Readonly<Record<string, unknown>>) {
  const key = {
    stdout: 'stdout',
    result: 'result_json',
    answer: type === 'comment' ? 'text' : 'confirmation',
  }[from];
  const value = proof[key];
  return typeof value === 'string' ? value.replace(/\r?\n$/, '') : null;
}

function pointedText(source: string | null, pointer: string): string | null {
  if (source === null) return null;
  try {
    const place = atPointer(JSON.parse(source), pointer);
    if (!place.found || place.value === null) return null;
    return typeof place.value === 'string' ? place.value : JSON.stringify(place.value);
  } catch {
    return null;
  }
}
