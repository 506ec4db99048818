import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { isObject } from '../../base/json.ts';
import type { ClientReply } from './ask.ts';
import type { ElicitationOutcome } from './plan.ts';

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];

/** A declared input as `input_schema` has it. */
interface InputSchema {
  type?: unknown;
  description?: unknown;
  enum?: string[];
  pattern?: string;
  default?: string | number | boolean;
  writeOnly?: boolean;
}

/**
 * The form that asks for the inputs of a protocol which were not given, with their defaults. Null when a secret one is missing:
 * MCP forbids forms that ask for secrets.
 */
export function formForInputs(
  { title, properties, required }: Record<string, unknown>,
  given: Readonly<Record<string, unknown>>,
): ElicitRequestFormParams | null {
  const names = new Set((required as string[]).filter((name) => given[name] === undefined));
  const open = Object.entries(properties as Record<string, InputSchema>).filter(
    ([name, { writeOnly }]) => given[name] === undefined && (names.has(name) || writeOnly !== true),
  );
  if (open.some(([, { writeOnly }]) => writeOnly === true)) return null;
  return {
    message: `${String(title)}: what is this run done to?`,
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(open.map(([name, schema]) => [name, fieldOf(name, schema)])),
      required: [...names],
    },
  };
}

function fieldOf(
  name: string,
  { type, description, enum: choices, pattern, default: value }: InputSchema,
): Field {
  const words = [
    ...(typeof description === 'string' ? [description] : []),
    ...(pattern === undefined
      ? []
      : [`it has to match ${pattern.slice('^(?:'.length, -')$'.length)} as a whole`]),
  ];
  const common = { title: name, ...(words.length === 0 ? {} : { description: words.join('; ') }) };
  if (type === 'boolean')
    return { type, ...common, ...(typeof value === 'boolean' ? { default: value } : {}) };
  if (type === 'number') return { type, ...common, ...(typeof value === 'number' ? { default: value } : {}) };
  const fallback = value === undefined ? {} : { default: String(value) };
  if (choices !== undefined) return { type: 'string', ...common, enum: choices, ...fallback };
  return { type: 'string', ...common, ...fallback };
}

/** What a client's reply to the form means. The values are checked where a run begins; an empty text is left out. */
export function readInputsReply(reply: ClientReply): ElicitationOutcome {
  if (reply.kind !== 'result') return { kind: reply.kind };
  const { action, content } = (reply.result ?? {}) as { action?: unknown; content?: unknown };
  if (action === 'decline' || action === 'cancel') return { kind: 'declined' };
  if (action !== 'accept' || !isObject(content)) return { kind: 'invalid' };
  return {
    kind: 'answered',
    answer: Object.fromEntries(Object.entries(content).filter(([, value]) => value !== '' && value !== null)),
  };
}
