import * as z from 'zod/mini';
import { isObject } from '../../base/json.ts';
import { parseJson } from '../../formats/json/parse.ts';

type Arguments = Record<string, unknown>;

/** The argument with a solution, under its name and its deprecated names. */
const SOLUTIONS = new Set(['solution', 'proof_of_work', 'proof_of_work_result']);

/**
 * Returns the arguments of a tool call for the operation. Drops null, and empty strings and empty objects that
 * some clients send for absent optional arguments. Parses objects that were sent as JSON text. A proposal stays unchanged, because the
 * gate judges its text.
 */
export function readArguments(schema: z.ZodMiniType, args: unknown): Arguments {
  if (!isObject(args)) return (args ?? {}) as Arguments;
  const { shape } = schema._zod.def as { shape?: Record<string, z.ZodMiniType> };
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, given]) => {
      const declared = shape?.[name];
      // An unknown name is an error with any value.
      if (declared === undefined) return [[name, given]];
      const value = read(name, declared, given);
      return value === null || (isAbsent(value) && isOptional(declared)) ? [] : [[name, value]];
    }),
  );
}

function read(name: string, declared: z.ZodMiniType, given: unknown): unknown {
  if (SOLUTIONS.has(name)) {
    const value = typeof given === 'string' ? parsed(given, isObject) : given;
    return isObject(value) ? withoutAbsent(value) : value;
  }
  const { type } = inner(declared)._zod.def;
  if (type === 'array') return typeof given === 'string' ? parsed(given, Array.isArray) : given;
  if (type === 'boolean' || type === 'number')
    return typeof given === 'string' ? parsed(given, (value) => typeof value === type) : given;
  if (type !== 'object' && type !== 'record') return given;
  const value = typeof given === 'string' ? parsed(given, isObject) : given;
  return isObject(value) ? withoutAbsent(value) : value;
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

/** The error for the caller. */
export const DOUBLED_KEYS = 'a key occurs twice in one object of this proposal: keep only one';

function proposes(message: unknown): boolean {
  const params = isObject(message) ? message.params : undefined;
  return isObject(params) && params.name === 'kairos_propose';
}
