import * as z from 'zod/mini';
import { sha256Hex } from '../base/canonical.ts';
import { KairosError, suggest } from '../base/errors.ts';
import { isObject, own } from '../base/json.ts';
import { foreignJson } from '../ledger/entry.ts';
import { isPlaceholder, isSolutionTooDeep, MAX_SOLUTION_DEPTH, readSolution } from '../proof/solution.ts';
import type { OperationContext } from './context.ts';

/**
 * Checks an operation's input against its schema; reports every violation with its path and the expected
 * value.
 */
export function parseInput<T extends z.ZodMiniType>(schema: T, input: unknown): z.output<T> {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  const { issues } = result.error;
  const problems = issues.flatMap((issue) => problemsOf(schema, input, issue));
  const left = problems.length - MOST_PROBLEMS;
  const shown = [...problems.slice(0, MOST_PROBLEMS), ...(left > 0 ? [`and ${left} more`] : [])];
  // Inside an argument, what it has; of the call else.
  const [first] = issues;
  const inside = issues.length === 1 && first?.code === 'unrecognized_keys' ? first.path : [];
  const names = fieldsAt(schema, inside);
  const fields = names.filter((name) => !isOldName(name, names)).join(', ');
  throw new KairosError('INVALID_INPUT', shown.join('; '), {
    hint:
      fields === ''
        ? 'Compare the call with the schema of the operation.'
        : `Fields of ${inside.join('.') || 'the call'}: ${fields}.`,
  });
}

/** Limits the length of the answer. */
const MOST_PROBLEMS = 8;

/** Writing operations call this first. */
export function requireWritable(ctx: OperationContext): void {
  if (!ctx.readOnly) return;
  throw new KairosError('READ_ONLY', 'this server was started read-only', {
    hint: 'Restart it without --read-only to store protocols.',
  });
}

/** A deprecated name, which no hint lists. */
function isOldName(name: string, names: readonly string[]): boolean {
  return name.startsWith('proof_of_work') || (name === 'query' && names.includes('key'));
}

type Issue = z.core.$ZodIssue;

function problemsOf(schema: z.ZodMiniType, input: unknown, issue: Issue): string[] {
  const where = issue.path.join('.') || 'input';
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, issue.path);
    return issue.keys.map((key) => unknownField([...issue.path, key].join('.'), suggest(key, known)));
  }
  const isWhole = definitionAt(schema, issue.path)?.format === 'safeint';
  return [`${where}: ${wanted(issue, valueAt(input, issue.path), isWhole)}`];
}

function unknownField(name: string, meant: string | undefined): string {
  const question = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `there is no field ${quotedInput(name)}${question}`;
}

/** A caller's text in an error, shortened. */
export function quotedInput(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

const TYPE_NAMES: Readonly<Record<string, string>> = { record: 'object', array: 'list' };

function wanted(issue: Issue, value: unknown, isWhole: boolean): string {
  if (value === undefined && issue.path.length > 0) return 'is missing';
  if (issue.code === 'invalid_type')
    return `must be of type ${isWhole ? 'integer' : (TYPE_NAMES[issue.expected] ?? issue.expected)}`;
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unit(issue.origin)}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unit(issue.origin)}`;
  return issue.message;
}

function unit(origin: string): string {
  return origin === 'string' ? ' characters long' : origin === 'array' ? ' items long' : '';
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}

/** The keys that the schema allows at a path; empty for anything but an object. */
function fieldsAt(schema: z.ZodMiniType, path: readonly PropertyKey[]): string[] {
  return Object.keys(definitionAt(schema, path)?.shape ?? {});
}

function definitionAt(schema: z.ZodMiniType, path: readonly PropertyKey[]): Definition | undefined {
  let at: Definition | undefined = definitionOf(schema);
  for (const key of path) at = definitionOf(at?.shape?.[key] ?? at?.element);
  return at;
}

interface Definition {
  shape?: Record<PropertyKey, z.ZodMiniType>;
  innerType?: z.ZodMiniType;
  element?: z.ZodMiniType;
  /** Of a number: `safeint` for a whole one. */
  format?: string;
}

/** The inner type of a schema, optional or not. */
function definitionOf(schema: z.ZodMiniType | undefined): Definition | undefined {
  const definition = schema?._zod.def as Definition | undefined;
  return definition?.innerType === undefined ? definition : definitionOf(definition.innerType);
}

/** Messages for deprecated names. STABILITY.md has the date of their removal. */
export const DEPRECATED = {
  beginQuery: 'Deprecated: kairos_begin with query is now kairos_search.',
  proofOfWork: 'Deprecated: proof_of_work is now solution.',
  proofOfWorkResult: 'Deprecated: proof_of_work_result is now solution.',
} as const;

/**
 * The solution under any of its names, with a deprecation line for an old name. Throws INVALID_INPUT if it is
 * nested too deeply to be read, redacted or recorded.
 */
export function mergeSolution(input: SolutionInput): { solution: unknown; notes: string[] } {
  const merged = underAnyName(input);
  if (isSolutionTooDeep(merged.solution)) {
    throw new KairosError('INVALID_INPUT', `the solution is nested deeper than ${MAX_SOLUTION_DEPTH}`, {
      hint: 'Submit the object that the challenge asks for.',
    });
  }
  return merged;
}

interface SolutionInput {
  solution?: unknown;
  proof_of_work?: unknown;
  proof_of_work_result?: unknown;
}

function underAnyName(input: SolutionInput): { solution: unknown; notes: string[] } {
  if (input.solution !== undefined) return { solution: input.solution, notes: [] };
  if (input.proof_of_work !== undefined) {
    return { solution: input.proof_of_work, notes: [DEPRECATED.proofOfWork] };
  }
  if (input.proof_of_work_result !== undefined) {
    return { solution: input.proof_of_work_result, notes: [DEPRECATED.proofOfWorkResult] };
  }
  return { solution: undefined, notes: [] };
}

/**
 * An error as one line of a result for several items: code first. Rethrows errors that aren't kairos errors,
 * and store failures, because they don't belong to one item.
 */
export function errorText(error: unknown, redact: (text: string) => string): string {
  if (!(error instanceof KairosError)) throw error;
  if (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_DAMAGED') throw error;
  const text = `${error.code}: ${error.message}`;
  if (error.hint === undefined) return redact(text);
  return redact(`${text}${/[.!?:]$/.test(text) ? '' : '.'} ${error.hint}`);
}

/** Whether a call leaves it to the server to ask the user: `{type: "user_input"}` without an answer. */
export function asksForUser(input: SolutionInput): boolean {
  return isPlaceholder(readSolution(mergeSolution(input).solution).solution);
}

/** A call with `{type: "sampling"}` but no result means the same as no solution. */
export function withoutEmptySampling<T extends SolutionInput>(input: T): T | Omit<T, keyof SolutionInput> {
  const { solution } = readSolution(mergeSolution(input).solution);
  const payload = solution.sampling ?? {};
  const empty = solution.type === 'sampling' && isObject(payload) && own(payload, 'result') === undefined;
  if (!empty) return input;
  const { solution: _, proof_of_work: __, proof_of_work_result: ___, ...rest } = input;
  return rest;
}

/** Hash of a call's arguments. The order of keys does not matter. */
export function argumentsHash(args: unknown): string {
  return sha256Hex(foreignJson(args ?? {}));
}
