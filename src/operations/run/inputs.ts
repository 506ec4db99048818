import { loadTools } from '../../proof/tools.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { InputDefinition } from '../../protocol/schema.ts';
import { type InputReading, inputSchemaOf, inputsOf, readInputValues } from '../../run/inputs.ts';
import type { RunFields } from '../../run/walk-fields.ts';
import { MESSAGES, NEXT } from '../../run/wording.ts';
import type { Revision } from '../../store/port.ts';

/** The inputs that a protocol declares. A run keeps all of them but the values of secrets, which are given again. */
export function declaredInputs({ content }: Pick<Revision, 'content'>): {
  all: Record<string, InputDefinition>;
  secret: Record<string, InputDefinition>;
} {
  const all = inputsOf(content);
  const secret = Object.fromEntries(Object.entries(all).filter(([, input]) => input.secret === true));
  return { all, secret };
}

/** Checks values against the inputs that a protocol declares; RE2 is loaded only where a pattern asks for it. */
export async function readGiven(
  declared: Readonly<Record<string, InputDefinition>>,
  given: Readonly<Record<string, unknown>>,
): Promise<InputReading> {
  const patterns = Object.values(declared).some(({ pattern }) => pattern !== undefined);
  return readInputValues(declared, given, (await loadTools({ patterns, schemas: false })).patterns);
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
