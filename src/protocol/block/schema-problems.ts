import type * as z from 'zod/mini';
import { suggest } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { Modern } from '../legacy/modernise.ts';
import type { Problem } from '../model.ts';
import { stepBlockSchema } from '../schema.ts';
import { BLOCK_SHAPE } from './block-shape.ts';
import type { Shape } from './shape.ts';
import { dotted, type Locator, type Path, valueAt } from './value.ts';

type Issue = z.core.$ZodIssue;

/** What the schema finds wrong with a block, each at the key or value that is at fault. */
export function schemaProblems(modern: Modern, locate: Locator): Problem[] {
  const { success, error } = stepBlockSchema.safeParse(modern.value);
  if (success) throw new Error('the shape of step blocks differs from its schema: build kairos again');
  return error.issues.flatMap((issue) => {
    const path = issue.path as Path;
    return issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownKey(key, path, modern, locate))
      : [invalid(issue, path, modern, locate)];
  });
}

function unknownKey(key: string, path: Path, modern: Modern, locate: Locator): Problem {
  const known = knownKeys(modern.value, path);
  const written = [...modern.original(path), key];
  if (path.length === 0 && key === 'challenge') {
    return {
      code: 'block-invalid',
      severity: 'error',
      place: locate.key(written),
      args: { path: key, issue: 'both' },
    };
  }
  return {
    code: 'block-unknown-key',
    severity: 'error',
    place: locate.key(written),
    args: {
      key,
      path: dotted(modern.original(path)),
      suggestion: suggest(key, known),
      known: known.join(', '),
    },
  };
}

function invalid(issue: Issue, path: Path, modern: Modern, locate: Locator): Problem {
  const value = valueAt(modern.value, path);
  const written = modern.original(path);
  const isMissing = value === undefined;
  return {
    code: 'block-invalid',
    severity: 'error',
    // What is missing is missed in the object around it.
    place: isMissing ? locate.value(modern.original(path.slice(0, -1))) : locate.value(written),
    args: {
      path: dotted(written),
      issue: isMissing ? 'missing' : issueWord(issue),
      ...expectation(issue),
      actual: isMissing ? undefined : shown(value),
    },
  };
}

/** What is wrong, as a word that `describeProblem` knows. */
function issueWord(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return 'type';
    case 'too_small':
      return 'too-small';
    case 'too_big':
      return 'too-big';
    case 'invalid_format':
      return 'format';
    default:
      return 'value';
  }
}

function expectation(issue: Issue): Record<string, string | number | undefined> {
  switch (issue.code) {
    case 'invalid_type':
      return { expected: issue.expected };
    case 'too_small':
      return { expected: Number(issue.minimum), origin: issue.origin };
    case 'too_big':
      return { expected: Number(issue.maximum), origin: issue.origin };
    case 'invalid_value':
      return { expected: issue.values.map(String).join(', ') };
    case 'invalid_union':
      return { expected: issue.discriminator === 'type' ? 'shell, mcp, user_input, comment' : undefined };
    default:
      return {};
  }
}

const SHOWN_LENGTH = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH - 1)}…` : text;
}

/** The keys that the object at a path of a step block may have; none where any are allowed. */
function knownKeys(block: unknown, path: Path): string[] {
  let shape: Shape | undefined = BLOCK_SHAPE;
  let value: unknown = block;
  for (const part of path) {
    shape = partOf(resolved(shape, value), part);
    if (shape === undefined) return [];
    value =
      isObject(value) || Array.isArray(value) ? (value as Record<string | number, unknown>)[part] : undefined;
  }
  const found = resolved(shape, value);
  return found.kind === 'object' ? Object.keys(found.fields) : [];
}

function partOf(shape: Shape, part: string | number): Shape | undefined {
  if (shape.kind === 'list') return typeof part === 'number' ? shape.item : undefined;
  return shape.kind === 'object' ? shape.fields[part]?.shape : undefined;
}

/** Of several objects, the one that the value names. */
function resolved(shape: Shape, value: unknown): Shape {
  if (shape.kind !== 'choice') return shape;
  const name = isObject(value) ? value[shape.by] : undefined;
  return shape.options[String(name)] ?? shape;
}
