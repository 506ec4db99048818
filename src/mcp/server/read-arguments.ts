import * as z from 'zod/mini';
import { isObject } from '../../base/json.ts';
import { parseJson } from '../../formats/json/parse.ts';

type Arguments = Record<string, unknown>;

/** The argument with a solution, under its name and its deprecated names. */
const SOLUTIONS = new Set(['solution', 'proof_of_work', 'proof_of_work_result']);

/** The parts of a solution, which some models send next to the other arguments. */
const PARTS = ['type', 'nonce', 'proof_hash', 'shell', 'mcp', 'user_input', 'comment', 'sampling'];

type Shape = Record<string, z.ZodMiniType>;

/**
 * Returns the arguments of a tool call for the operation. Drops null, and empty strings and empty objects that
 * some clients send for absent optional arguments. Parses objects that were sent as JSON text, and accepts what can be meant in
 * one way only: another spelling of a name, a text for a list of one, a URI with text around it. A proposal stays unchanged,
 * because the gate judges its text.
 */
export function readArguments(schema: z.ZodMiniType, args: unknown): Arguments {
  if (!isObject(args)) return (args ?? {}) as Arguments;
  const { shape = {} } = schema._zod.def as { shape?: Shape };
  const named = withInputs(shape, respelled(shape, gathered(shape, args)));
  const read = readAll(shape, named);
  // The only unknown argument is the only one that is missing.
  const unknown = Object.keys(read).filter((name) => shape[name] === undefined);
  const missing = Object.keys(shape).filter((name) => read[name] === undefined && !isOptional(shape[name]!));
  const [name, meant] = [unknown[0], missing[0]];
  if (unknown.length !== 1 || missing.length !== 1 || name === undefined || meant === undefined) return read;
  const { [name]: value, ...rest } = named;
  const swapped = readAll(shape, { ...rest, [meant]: value });
  return z.safeParse(shape[meant]!, swapped[meant]).success && !isAbsent(value) ? swapped : read;
}

function readAll(shape: Shape, args: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, given]) => {
      const declared = shape[name];
      // An unknown name is an error with any value.
      if (declared === undefined) return [[name, given]];
      const value = read(name, declared, given);
      return value === null || (isAbsent(value) && isOptional(declared)) ? [] : [[name, value]];
    }),
  );
}

/** With the parts of a solution in one, where its tool has one and a nonce or type shows that they are it. */
function gathered(shape: Shape, args: Arguments): Arguments {
  const parts = PARTS.filter((name) => name in args && shape[name] === undefined);
  const isMeant = parts.includes('nonce') || parts.includes('type');
  if (shape.solution === undefined || !isMeant || !isAbsent(args.solution ?? null)) return args;
  const rest = Object.entries(args).filter(([name]) => !parts.includes(name));
  return {
    ...Object.fromEntries(rest),
    solution: Object.fromEntries(parts.map((name) => [name, args[name]])),
  };
}

/** With inputs in one argument that are next to it; their names have capitals only. */
function withInputs(shape: Shape, args: Arguments): Arguments {
  const names = Object.keys(args).filter(
    (name) => shape[name] === undefined && /^[A-Z][A-Z0-9_]*$/.test(name),
  );
  if (shape.inputs === undefined || names.length === 0 || !isAbsent(args.inputs ?? null)) return args;
  const rest = Object.entries(args).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(rest), inputs: Object.fromEntries(names.map((name) => [name, args[name]])) };
}

/** With declared names for other spellings of them: `runId`, `URI`, `uri` for `uris`. */
function respelled(shape: Shape, args: Arguments): Arguments {
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')
      .replace(/s$/, '');
  const entries = Object.entries(args).map(([name, value]): [string, unknown] => {
    if (shape[name] !== undefined) return [name, value];
    const meant = Object.keys(shape).find((known) => plain(known) === plain(name));
    return [meant === undefined || !isAbsent(args[meant] ?? null) ? name : meant, value];
  });
  return Object.fromEntries(entries);
}

function read(name: string, declared: z.ZodMiniType, given: unknown): unknown {
  if (SOLUTIONS.has(name)) {
    const value = typeof given === 'string' ? parsed(given, isObject) : given;
    return isObject(value) ? withoutAbsent(value) : value;
  }
  const { type } = inner(declared)._zod.def;
  if (type === 'array') return listOf(name, typeof given === 'string' ? parsed(given, Array.isArray) : given);
  if (type === 'string') return textOf(name, given);
  if (type === 'boolean' || type === 'number')
    return typeof given === 'string' ? parsed(given, (value) => typeof value === type) : given;
  if (type !== 'object' && type !== 'record') return given;
  const value = typeof given === 'string' ? parsed(given, isObject) : given;
  return isObject(value) ? withoutAbsent(value) : value;
}

function listOf(name: string, given: unknown): unknown {
  const list = typeof given === 'string' && given !== '' ? [given] : given;
  return Array.isArray(list) ? list.map((one) => textOf(name, one)) : list;
}

/** Several phrasings are one query. Of a URI or an id with text around it, only that; of a document in a fence, the document. */
function textOf(name: string, given: unknown): unknown {
  if (Array.isArray(given) && given.every((one) => typeof one === 'string')) {
    if (name === 'query') return given.join(' | ');
    return given.length === 1 ? textOf(name, given[0]) : given;
  }
  if (typeof given !== 'string') return given;
  if (name === 'uri' || name === 'uris') {
    if (new RegExp(`^${UUID}$`, 'i').test(given.trim())) return `kairos://mem/${given.trim()}`;
    return onlyMatch(given, `kairos://mem/${UUID}`);
  }
  if (name === 'run_id') return onlyMatch(given, UUID);
  return name === 'markdown_doc' ? unfenced(given) : given;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

function onlyMatch(text: string, pattern: string): string {
  const found = text.match(new RegExp(pattern, 'gi')) ?? [];
  return found.length === 1 ? found[0] : text.trim();
}

/** A document that begins with a fence has no heading before it, so the fence is only around it. */
function unfenced(text: string): string {
  const [, fence, inside] = /^\s*(`{3,}|~{3,})(?:markdown|md)?[ \t]*\r?\n([\s\S]*)$/.exec(text) ?? [];
  if (fence === undefined || inside === undefined) return text;
  const end = inside.trimEnd();
  return end.endsWith(`\n${fence}`) ? end.slice(0, -fence.length) : text;
}

/** The value of a JSON text, if it is of that kind; else the text. */
function parsed(text: string, is: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? value : text;
  } catch {
    return text;
  }
}

/** Only the object's own keys: what a command printed or a tool returned may well be empty. */
function withoutAbsent(object: Arguments): Arguments {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isAbsent(value)));
}

function isAbsent(value: unknown): boolean {
  return value === null || value === '' || (isObject(value) && Object.keys(value).length === 0);
}

function isOptional(schema: z.ZodMiniType): boolean {
  return z.safeParse(schema, undefined).success;
}

function inner(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType } = schema._zod.def as { innerType?: z.ZodMiniType };
  return innerType === undefined ? schema : inner(innerType);
}

/**
 * Whether a message, with its text, submits a proposal with a duplicate key in one object. JSON.parse keeps
 * the last of two; a gate must not guess which one was meant (SPEC 7). Other calls are read as usual JSON.
 */
export function hasDoubledKeys(text: string, message: unknown): boolean {
  const messages = Array.isArray(message) ? message : [message];
  return messages.some(proposes) && parseJson(text)?.hasDuplicates === true;
}

/**
 * A message whose parameters lack those that are null, which some clients send for absent ones. JSON text for the arguments of a
 * tool is read.
 */
export function readParameters(message: unknown): unknown {
  return Array.isArray(message) ? message.map(withParameters) : withParameters(message);
}

function withParameters(message: unknown): unknown {
  if (!isObject(message) || typeof message.method !== 'string') return message;
  const { params, ...rest } = message;
  if (params === null) return rest;
  if (!isObject(params)) return message;
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
  // Of a proposal a key that occurs twice would be lost here.
  const isRead = message.method === 'tools/call' && given.name !== 'kairos_propose';
  if (isRead && typeof given.arguments === 'string') given.arguments = parsed(given.arguments, isObject);
  return { ...rest, params: given };
}

/** The error for the caller. */
export const DOUBLED_KEYS = 'a key occurs twice in one object of this proposal: keep only one';

function proposes(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  return isObject(params) && params.name === 'kairos_propose';
}
