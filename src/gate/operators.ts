import { isJsonObject, jsonEqual } from '../proof/json-equal.ts';
import type { PatternTools } from '../proof/verdict.ts';
import type { Precondition } from './proposal.ts';

/**
 * Whether evidence satisfies an operator with the expected value. Values of different JSON types fail every
 * operator, `ne` too, because values that can't be compared are unknown, not different. `eq` and `ne` by RFC
 * 8785 equality, `gt` and `lt` on numbers, `contains` a substring or an element, `matches` RE2 over the whole
 * text.
 */
export function holds(
  operator: Precondition['operator'],
  actual: unknown,
  value: unknown,
  patterns: PatternTools,
): boolean {
  switch (operator) {
    case 'eq':
      return jsonType(actual) === jsonType(value) && jsonEqual(actual, value);
    case 'ne':
      return jsonType(actual) === jsonType(value) && !jsonEqual(actual, value);
    case 'gt':
      return isNumber(actual) && isNumber(value) && actual > value;
    case 'lt':
      return isNumber(actual) && isNumber(value) && actual < value;
    case 'contains':
      if (Array.isArray(actual)) return actual.some((element) => jsonEqual(element, value));
      return typeof actual === 'string' && typeof value === 'string' && actual.includes(value);
    case 'matches':
      return typeof actual === 'string' && typeof value === 'string' && patterns.fullMatch(value, actual);
  }
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isJsonObject(value) ? 'object' : typeof value;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
