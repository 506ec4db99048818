import { KairosError } from '../../base/errors.ts';
import type { EntryData } from '../../ledger/entry.ts';
import { loadTools } from '../../proof/tools.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { InputDefinition, StepBlock } from '../../protocol/schema.ts';
import {
  capturesOf,
  filledContent,
  type InputReading,
  inputsOf,
  misuse,
  notAnInput,
  readInputValues,
  recordedInputs,
  secretNames,
  secretsAmong,
  without,
} from '../../run/inputs.ts';
import { compareDigests, type RedactAlso, redactExactly, secretDigests } from '../../run/ports.ts';
import type { RunState } from '../../run/state.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { MESSAGES, NEXT } from '../../run/wording.ts';
import type { Revision } from '../../store/port.ts';
import type { OperationContext } from '../context.ts';

/** The inputs that a protocol declares. */
export function declaredInputs({ content }: Pick<Revision, 'content'>): Record<string, InputDefinition> {
  return inputsOf(content);
}

/**
 * The secrets that the rest of a run needs and this process does not know: secret inputs, and secret captures of proven steps. Their
 * values are on no record, so they have to be given again.
 */
export function lostSecrets(
  { runSecrets }: Pick<OperationContext, 'runSecrets'>,
  { state }: { state: RunState },
): Record<string, InputDefinition> {
  const known = runSecrets?.of(state.runId) ?? {};
  const lost = [...state.secrets.keys()].filter((name) => !Object.hasOwn(known, name));
  const declared = inputsOf(state.content);
  const captured: InputDefinition = { description: 'Captured in a proven step' };
  // The run may have begun with another value than the default.
  const again = (name: string) => ({ ...(declared[name] ?? captured), secret: true, default: undefined });
  return Object.fromEntries(lost.map((name) => [name, again(name)]));
}

/**
 * Of the values that are given for an open run, those that it still needs. Throws INVALID_INPUT for a name that its protocol doesn't
 * have, and for a value other than the recorded one, because nothing changes an input during a run.
 */
export function stillNeeded(
  { state }: { state: RunState },
  needed: Readonly<Record<string, InputDefinition>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const declared = inputsOf(state.content);
  const faults = Object.entries(given).flatMap(([name, value]) => {
    const recorded = state.values[name];
    if (Object.hasOwn(needed, name) || state.secrets.has(name) || recorded === String(value)) return [];
    if (recorded === undefined) return [notAnInput(name, { ...declared, ...needed })];
    return [`${name} is ${JSON.stringify(recorded)} in the record of this run, and can't change.`];
  });
  if (faults.length > 0)
    throw new KairosError('INVALID_INPUT', faults.join(' '), {
      hint: 'Leave these out, or begin a new run with other values.',
    });
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(needed, name)));
}

/** What is recorded of secrets: their keyed digests. The key is loaded only where there are any. */
export async function recordedDigests(
  { valueDigest }: Pick<OperationContext, 'valueDigest'>,
  runId: string,
  secrets: Readonly<Record<string, string>>,
): Promise<ReturnType<typeof secretDigests>> {
  return Object.keys(secrets).length === 0 ? {} : secretDigests(await valueDigest?.(), runId, secrets);
}

/**
 * Compares secrets that are given again for an open run with the digests on record, and learns them. Returns the digests to record
 * where another data folder's key made the recorded ones and the caller moves the run here. Throws INVALID_INPUT for another value,
 * and learns nothing then.
 */
export async function learnAgain(
  ctx: Pick<OperationContext, 'valueDigest' | 'runSecrets' | 'commandLine'>,
  { runId, secrets, content }: RunState,
  given: Readonly<Record<string, string>>,
  moves: boolean,
): Promise<ReturnType<typeof secretDigests>> {
  const { secret_digests: digests = {} } = await recordedDigests(ctx, runId, given);
  const compared = Object.keys(digests).map((name) => {
    const recorded = secrets.get(name) ?? null;
    return [name, recorded === null ? 'same' : compareDigests(recorded, digests[name]!)] as const;
  });
  const named = (wanted: string) => compared.filter(([, is]) => is === wanted).map(([name]) => name);
  const [other, unknown] = [named('other'), named('unknown')];
  if (other.length > 0)
    throw new KairosError('INVALID_INPUT', `${other.join(', ')} is not the value that this run has`, {
      hint: 'A run keeps its inputs and captures: the record has a digest of each secret. Give the same value again, or begin a new run.',
    });
  if (unknown.length > 0 && !moves)
    throw new KairosError(
      'INVALID_INPUT',
      `${unknown.join(', ')} cannot be compared with the value that this run has: its digest was made with the key of another data folder`,
      {
        hint: `Continue where the run began, or move it here, which voids its approvals: ${ctx.commandLine(['resume', runId, '--here'])}`,
      },
    );
  learnSecrets(ctx, runId, content, given);
  return unknown.length === 0 ? {} : { secret_digests: digests };
}

/** Keeps secrets of a run for its commands. From now on they are redacted. */
export function learnSecrets(
  { runSecrets }: Pick<OperationContext, 'runSecrets'>,
  runId: string,
  content: ChainContent,
  secrets: Readonly<Record<string, string>>,
): void {
  const declared = secretNames(content);
  const hidden = Object.fromEntries(Object.entries(secrets).filter(([name]) => !declared.has(name)));
  runSecrets?.learn(runId, without(secrets, hidden), hidden);
}

/** Makes the function that redacts these secrets and all others of this program. */
export function redactAlso({
  runSecrets,
  redact,
}: Pick<OperationContext, 'runSecrets' | 'redact'>): RedactAlso {
  return runSecrets?.redactAlso ?? redactExactly(redact);
}

/**
 * Keeps the secrets among the values that a run gets, and returns what is recorded of all. Throws INVALID_INPUT for a secret that the
 * content needs on record.
 */
export async function takeInputs(
  ctx: Pick<OperationContext, 'runSecrets' | 'redact' | 'valueDigest'>,
  runId: string,
  content: ChainContent,
  values: Readonly<Record<string, string>>,
): Promise<EntryData & ReturnType<typeof recordedInputs>> {
  const declared = inputsOf(content);
  const secrets = secretsAmong(values, (name) => declared[name]?.secret === true, redactAlso(ctx));
  requireUsable(content, values, Object.keys(secrets));
  const digests = await recordedDigests(ctx, runId, secrets);
  learnSecrets(ctx, runId, content, secrets);
  return { ...recordedInputs(values, secrets), ...digests };
}

/** A note for each secret that is not declared as one. */
export function hiddenNotes(content: ChainContent, secrets: readonly string[]): string[] {
  const declared = secretNames(content);
  return secrets.filter((name) => !declared.has(name)).map(MESSAGES.looksSecret);
}

/** The same for the captures of a step that was proven here. */
export function hiddenCaptures(
  { runSecrets }: Pick<OperationContext, 'runSecrets'>,
  runId: string,
  content: ChainContent,
  block: StepBlock,
): string[] {
  const known = runSecrets?.of(runId) ?? {};
  const names = capturesOf(block).map(({ name }) => name);
  return hiddenNotes(
    content,
    names.filter((name) => Object.hasOwn(known, name)),
  );
}

/** Whether a step captures a secret. */
export function capturesSecret(block: StepBlock): boolean {
  return capturesOf(block).some(({ secret }) => secret === true);
}

/** Throws INVALID_INPUT where a step uses a value in what it calls or checks that it can't use there. */
export function requireUsable(
  content: ChainContent,
  values: Readonly<Record<string, string>>,
  secrets: readonly string[],
): void {
  requireNoFaults([misuse(content, values, secrets) ?? []].flat(), 'Nothing was begun.');
}

/** Checks values against the inputs that a protocol declares; RE2 is loaded only where a pattern asks for it. */
export async function readGiven(
  declared: Readonly<Record<string, InputDefinition>>,
  given: Readonly<Record<string, unknown>>,
): Promise<InputReading> {
  const patterns = Object.values(declared).some(({ pattern }) => pattern !== undefined);
  return readInputValues(declared, given, (await loadTools({ patterns, schemas: false })).patterns);
}

/** Throws INVALID_INPUT with every fault of the values that were given. */
export function requireNoFaults(faults: readonly string[], hint = 'Correct the inputs.'): void {
  if (faults.length > 0) throw new KairosError('INVALID_INPUT', faults.join(' '), { hint });
}

/** The content with the values that fit in its texts, before the run begins. A secret's value is left out. */
export async function shownContent(
  ctx: Pick<OperationContext, 'runSecrets' | 'redact'>,
  content: ChainContent,
  given: Readonly<Record<string, unknown>>,
): Promise<ChainContent> {
  const declared = inputsOf(content);
  const { values } = await readGiven(declared, given);
  const secrets = secretsAmong(values, (name) => declared[name]?.secret === true, redactAlso(ctx));
  return filledContent(content, without(values, secrets), Object.keys(secrets));
}

/** The answer to a call that begins a run without all its inputs. */
export function inputsNeeded(
  revision: Revision,
  declared: Readonly<Record<string, InputDefinition>>,
  missing: readonly string[],
): RunFields {
  return {
    must_obey: true,
    next_action: NEXT.giveInputs(stepUri(revision.chainId, 1)),
    protocol_status: 'blocked',
    message: MESSAGES.inputsNeeded(missing),
    error_code: 'INPUT_REQUIRED',
    input_schema: { title: revision.content.title, ...inputSchemaOf(declared) },
  };
}

/** The inputs as JSON Schema, for agents. */
function inputSchemaOf(declared: Readonly<Record<string, InputDefinition>>): Record<string, unknown> {
  const properties = Object.entries(declared).map(([name, input]) => {
    const { description, pattern, choices, type, secret } = input;
    const schema = {
      type: type ?? 'string',
      ...(description === undefined ? {} : { description }),
      ...(choices === undefined ? {} : { enum: choices }),
      ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
      ...(input.default === undefined
        ? {}
        : { default: type === undefined ? input.default : JSON.parse(input.default) }),
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

/** An input in one line for people. */
export function inputText({
  description,
  choices,
  pattern,
  type,
  default: fallback,
  secret,
}: InputDefinition): string {
  const limit =
    choices !== undefined
      ? `one of ${choices.join(', ')}`
      : pattern === undefined
        ? type
        : `matches ${pattern}`;
  return [
    description,
    limit,
    secret === true ? 'secret' : undefined,
    fallback === undefined
      ? 'required'
      : `default ${type === undefined ? JSON.stringify(fallback) : fallback}`,
  ]
    .filter((part) => part !== undefined)
    .join('; ');
}
