import { KairosError } from '../../base/errors.ts';
import { loadTools } from '../../proof/tools.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { InputDefinition } from '../../protocol/schema.ts';
import {
  compareDigests,
  filledContent,
  type InputReading,
  inputSchemaOf,
  inputsOf,
  notAnInput,
  readInputValues,
  recordedInputs,
  secretDigests,
} from '../../run/inputs.ts';
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
  const captured = { secret: true, description: 'Captured in a proven step' };
  return Object.fromEntries(lost.map((name) => [name, declared[name] ?? captured]));
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
  { runId, secrets }: RunState,
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
  ctx.runSecrets?.learn(runId, given);
  return unknown.length === 0 ? {} : { secret_digests: digests };
}

/** Checks values against the inputs that a protocol declares; RE2 is loaded only where a pattern asks for it. */
export async function readGiven(
  declared: Readonly<Record<string, InputDefinition>>,
  given: Readonly<Record<string, unknown>>,
): Promise<InputReading> {
  const patterns = Object.values(declared).some(({ pattern }) => pattern !== undefined);
  return readInputValues(declared, given, (await loadTools({ patterns, schemas: false })).patterns);
}

/** The content with the values that fit in its texts, before the run begins. A secret's value is left out. */
export async function shownContent(
  content: ChainContent,
  given: Readonly<Record<string, unknown>>,
): Promise<ChainContent> {
  const declared = inputsOf(content);
  const { values } = await readGiven(declared, given);
  return filledContent(content, recordedInputs(declared, values).inputs);
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
    fallback === undefined ? 'required' : `default ${JSON.stringify(fallback)}`,
  ]
    .filter((part) => part !== undefined)
    .join('; ');
}
