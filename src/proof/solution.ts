import { isDeeperThan, isObject, jsonOf, own, SOLUTION_KEYS } from '../base/json.ts';

/** The objects of a solution, one for each type. */
const PAYLOADS = ['shell', 'mcp', 'user_input', 'comment', 'sampling'] as const;

/** Deeper nesting is rejected unread. */
export const MAX_SOLUTION_DEPTH = 64;
/** A JSON string in a wrapper in a JSON string: more layers than this are not an honest mistake. */
const MAX_LAYERS = 4;

/** A solution as read: the agent's value in its place, unchecked. Null: absent, or not a string. */
export interface Solution {
  type: string | null;
  nonce: string | null;
  proof_hash: string | null;
  shell?: unknown;
  mcp?: unknown;
  user_input?: unknown;
  comment?: unknown;
  sampling?: unknown;
}

interface SolutionProblem {
  code: 'MISSING_FIELD';
  message: string;
}

export interface ReadSolution {
  solution: Solution;
  /** One deprecation line, in fixed words, for each older form met. */
  converted: string[];
  /** Why nothing could be read; the solution is then empty. */
  problems: SolutionProblem[];
}

/** Deprecation lines (SPEC 2: older names and forms are converted and reported). */
export const CONVERSION_NOTES = {
  wrapped: 'Deprecated: the solution was wrapped in another object. Send it bare, as solution.',
  flatShell:
    'Deprecated: a flat shell result. Send {type: "shell", nonce, proof_hash, shell: {exit_code, stdout, stderr, duration_seconds}}.',
  flatMcp:
    'Deprecated: a flat tool result. Send {type: "mcp", nonce, proof_hash, mcp: {tool_name, arguments, result, success}}.',
  flatUserInput:
    'Deprecated: a flat answer. Send {type: "user_input", nonce, proof_hash, user_input: {confirmation}}.',
  flatComment: 'Deprecated: a flat comment. Send {type: "comment", nonce, proof_hash, comment: {text}}.',
  flatSampling:
    'Deprecated: a flat sampling result. Send {type: "sampling", nonce, proof_hash, sampling: {result}}.',
  missingType: 'Deprecated: a solution without type. Name its type.',
} as const;

interface FlatForm {
  type: (typeof PAYLOADS)[number];
  /** The key that makes a solution of no type this one. */
  mark: string;
  keys: readonly string[];
  note: string;
}

/** Solutions with the payload next to `type`, or as a bare text; a tool's comes before the others that have a result. */
const FLAT: readonly FlatForm[] = [
  {
    type: 'shell',
    mark: 'exit_code',
    keys: ['exit_code', 'stdout', 'stderr', 'duration_seconds'],
    note: CONVERSION_NOTES.flatShell,
  },
  {
    type: 'mcp',
    mark: 'tool_name',
    keys: ['tool_name', 'arguments', 'result', 'success'],
    note: CONVERSION_NOTES.flatMcp,
  },
  {
    type: 'user_input',
    mark: 'confirmation',
    keys: ['confirmation', 'timestamp'],
    note: CONVERSION_NOTES.flatUserInput,
  },
  { type: 'comment', mark: 'text', keys: ['text'], note: CONVERSION_NOTES.flatComment },
  { type: 'sampling', mark: 'result', keys: ['result'], note: CONVERSION_NOTES.flatSampling },
];

/**
 * Reads a solution leniently: JSON text where an object is meant is read. Older forms (SPEC 2, seed 000) are
 * converted, each with a note. Other faults
 * pass through, so that the validator of the demanded type can name the field. Never throws.
 */
export function readSolution(raw: unknown): ReadSolution {
  const converted: string[] = [];
  if (isSolutionTooDeep(raw)) return unreadable(converted, 'is nested too deeply');
  const layers: Record<string, unknown>[] = [];
  let value = raw;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    if (typeof value === 'string') {
      value = jsonOf(value);
      if (isSolutionTooDeep(value)) return unreadable(converted, 'is nested too deeply');
      continue;
    }
    if (Array.isArray(value) && value.length === 1) {
      value = value[0];
      continue;
    }
    const inner = unwrapped(value);
    if (inner === undefined) break;
    layers.unshift(value as Record<string, unknown>);
    value = inner;
    converted.push(CONVERSION_NOTES.wrapped);
  }
  if (!isObject(value)) return unreadable(converted, 'must be an object');
  return { solution: shape(value, layers, converted), converted: [...new Set(converted)], problems: [] };
}

/** `{type: "user_input"}` without an answer under any name: the agent asks kairos to ask (SPEC 6). */
export function isPlaceholder(solution: Solution): boolean {
  if (solution.type !== 'user_input') return false;
  const payload = solution.user_input ?? {};
  return (
    isObject(payload) &&
    Object.entries(payload).every(
      ([key, value]) => key === 'timestamp' || value === null || (value === '' && key !== 'confirmation'),
    )
  );
}

function shape(
  value: Record<string, unknown>,
  outer: Record<string, unknown>[],
  converted: string[],
): Solution {
  const spelled = typeof value.type === 'string' ? { ...value, type: typeNamed(value.type) } : value;
  const flat = flatForm(spelled);
  if (flat !== null) converted.push(flat.note);
  const type = own(spelled, 'type') ?? null;
  const objects = PAYLOADS.filter((name) => isObject(own(value, name)));
  const inferred = type === null && flat === null && objects.length === 1 ? objects[0] : undefined;
  if (inferred !== undefined) converted.push(CONVERSION_NOTES.missingType);
  const solution: Solution = {
    type: flat === null ? text(type ?? inferred) : flat.type,
    nonce: hex(firstOf([value, ...outer], 'nonce')),
    proof_hash: hex(firstOf([value, ...outer], 'proof_hash')),
  };
  for (const name of PAYLOADS) {
    const payload = own(value, name);
    const json = typeof payload === 'string' ? jsonOf(payload) : undefined;
    if (payload !== undefined) solution[name] = given(name, isObject(json) ? json : payload);
  }
  if (flat !== null) solution[flat.type] = given(flat.type, flat.payload);
  return solution;
}

/** A type in its own spelling: `User-Input` is `user_input`. */
function typeNamed(type: string): string {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '');
  return PAYLOADS.find((name) => plain(name) === plain(type)) ?? type;
}

/** Hex digits as copied, perhaps with blanks or in capitals. */
function hex(value: unknown): string | null {
  return typeof value === 'string' ? value.trim().toLowerCase() : null;
}

/** What may well be empty: the output of a command, and what a tool or model returned. */
const MAY_BE_EMPTY = ['stdout', 'stderr', 'result'];

/**
 * A payload without the fields that a client only fills because it fills every field, with null or an empty text. Arguments of
 * a tool may come as JSON text, for clients that can send no free object.
 */
function given(name: (typeof PAYLOADS)[number], payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  // What the model answered, without the name around it.
  if (name === 'sampling' && !('result' in payload) && Object.values(payload).some(isGiven))
    return { result: payload };
  const fields = Object.entries(payload).filter(([key, value]) =>
    name === 'sampling' ? value !== '' : (value !== null && value !== '') || MAY_BE_EMPTY.includes(key),
  );
  return Object.fromEntries(fields.map(([key, value]) => [key, meant(key, value)]));
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== '';
}

/** A value as its field has it: some models send numbers and switches as text, or a number for a text. */
function meant(key: string, value: unknown): unknown {
  if (key === 'confirmation' && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  if (key === 'exit_code' || key === 'duration_seconds')
    return /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (key === 'success' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  const json = key === 'arguments' ? jsonOf(value) : null;
  return isObject(json) ? json : value;
}

/** Everything else in a solution without a payload object is its payload. */
const COMMON = ['type', 'nonce', 'proof_hash', 'uri', 'executed_at'];

/**
 * A payload that is not in the object of its type: seed 000's `{uri?, exit_code, stdout, stderr, duration_seconds,
 * executed_at}`, the like of other types, or a bare text. An answer under another name is kept, so that it is refused by name.
 */
function flatForm(
  value: Record<string, unknown>,
): { type: (typeof PAYLOADS)[number]; payload: Record<string, unknown>; note: string } | null {
  const given = own(value, 'type') ?? null;
  const form = FLAT.find(({ type, mark }) =>
    given === null ? own(value, mark) !== undefined : given === type,
  );
  if (form === undefined) return null;
  const { type, mark, keys, note } = form;
  const bare = own(value, type);
  if (typeof bare === 'string' && isObject(jsonOf(bare))) return null;
  if (typeof bare === 'string' && bare !== '' && keys.length < 3)
    return { type, payload: { [mark]: bare }, note };
  if (PAYLOADS.some((name) => own(value, name) !== undefined)) return null;
  const rest = Object.keys(value).filter((key) => !COMMON.includes(key));
  const kept = type === 'user_input' ? rest : rest.filter((key) => keys.includes(key));
  const isGiven = type === 'user_input' ? kept.length > 0 : own(value, mark) !== undefined;
  return isGiven ? { type, payload: Object.fromEntries(kept.map((key) => [key, value[key]])), note } : null;
}

/** The content of `{proof_of_work: …}` or `{solution: …}`; undefined for any other value. */
function unwrapped(value: unknown): unknown {
  if (!isObject(value) || own(value, 'type') !== undefined) return undefined;
  if (PAYLOADS.some((name) => own(value, name) !== undefined)) return undefined;
  const name = SOLUTION_KEYS.find((wrapper) => {
    const inner = own(value, wrapper);
    return isObject(inner) || typeof inner === 'string';
  });
  return name === undefined ? undefined : value[name];
}

function unreadable(converted: string[], why: string): ReadSolution {
  const message = `The solution ${why}: {type, nonce, proof_hash} and the object that the type names.`;
  return {
    solution: { type: null, nonce: null, proof_hash: null },
    converted: [...new Set(converted)],
    problems: [{ code: 'MISSING_FIELD', message }],
  };
}

function firstOf(objects: Record<string, unknown>[], key: string): unknown {
  return objects.map((object) => own(object, key)).find((value) => value !== undefined);
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Whether a value nests deeper than a solution may. Stops at that depth. */
export function isSolutionTooDeep(value: unknown): boolean {
  return isDeeperThan(value, MAX_SOLUTION_DEPTH);
}
