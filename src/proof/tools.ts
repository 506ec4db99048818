import type { ErrorObject } from 'ajv';
import type { RE2JS } from 're2js';
import type { SchemaCheck } from '../base/json-schema.ts';
import type { OutputCheck } from '../protocol/schema.ts';
import type { Demand } from './demand.ts';
import type { PatternTools, ProofTools, SchemaTools, SchemaViolation } from './verdict.ts';

export type { ProofTools } from './verdict.ts';

/**
 * The tools to judge this demand and these outputs, and only those are loaded. Null: there is nothing to
 * judge.
 */
export async function loadProofTools(
  demand: Demand | null,
  outputs: readonly OutputCheck[] = [],
  captures: readonly { pattern?: string }[] = [],
): Promise<ProofTools> {
  return loadTools({
    patterns:
      needsPatterns(demand) ||
      outputs.some(({ matches }) => matches !== undefined) ||
      captures.some(({ pattern }) => pattern !== undefined),
    schemas: needsSchemas(demand) || outputs.some(({ schema }) => schema !== undefined),
  });
}

/** Loads RE2 and JSON Schema as asked; what was not asked for throws when used. */
export async function loadTools(needs: { patterns: boolean; schemas: boolean }): Promise<ProofTools> {
  const [patterns, schemas] = await Promise.all([
    needs.patterns ? loadPatternTools() : NO_PATTERNS,
    needs.schemas ? loadSchemas() : NO_SCHEMAS,
  ]);
  return { patterns, schemas };
}

function needsPatterns(demand: Demand | null): boolean {
  if (demand?.type === 'shell') return demand.shell.stdout_matches !== undefined;
  return demand?.type === 'user_input' && demand.user_input.pattern !== undefined;
}

function needsSchemas(demand: Demand | null): boolean {
  return demand?.type === 'sampling' || (demand?.type === 'mcp' && demand.mcp.result_schema !== undefined);
}

const NO_PATTERNS: PatternTools = {
  usable: notLoaded,
  search: notLoaded,
  fullMatch: notLoaded,
  capture: notLoaded,
};
const NO_SCHEMAS: SchemaTools = { errors: notLoaded };

function notLoaded(): never {
  throw new Error('these proof tools were loaded for another demand');
}

/** Returns matchers for patterns of documents, with RE2 semantics. A match that exceeds the time limit counts as none. */
export async function loadPatternTools(): Promise<PatternTools> {
  const [{ RE2JS }, { isTimeLimit, withinTime }] = await Promise.all([
    import('re2js'),
    import('../base/json-schema.ts'),
  ]);
  const compiled = new Map<string, RE2JS | null>();
  const compile = (pattern: string): RE2JS | null => {
    let known = compiled.get(pattern);
    if (known === undefined) {
      known = attempt(() => withinTime(() => RE2JS.compile(pattern)));
      compiled.set(pattern, known);
    }
    return known;
  };
  return {
    usable: (pattern) => compile(pattern) !== null,
    search: (pattern, text) => attempt(() => withinTime(() => compile(pattern)?.test(text))) === true,
    fullMatch: (pattern, text) => attempt(() => withinTime(() => compile(pattern)?.testExact(text))) === true,
    capture(pattern, text) {
      const find = () => {
        const matcher = compile(pattern)?.matcher(text);
        if (matcher === undefined || !matcher.find()) return null;
        return matcher.groupCount() > 0 ? (matcher.group(1) ?? null) : (matcher.group() ?? null);
      };
      try {
        return withinTime(find);
      } catch (error) {
        return isTimeLimit(error) ? undefined : null;
      }
    },
  };
}

/** Null when the library rejects the pattern, with any error. */
function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}

/** Returns validators for the schemas that `loadSchemaCompiler` supports. A check that exceeds its time limit is a violation. */
async function loadSchemas(): Promise<SchemaTools> {
  const { EVALUATION_LIMIT_MS, isTimeLimit, loadSchemaCompiler } = await import('../base/json-schema.ts');
  const { compile } = await loadSchemaCompiler();
  const compiled = new WeakMap<object, SchemaCheck | SchemaViolation>();
  const orViolation = <T>(action: () => T): T | SchemaViolation => {
    try {
      return action();
    } catch (error) {
      const message = isTimeLimit(error)
        ? `checking a value against the schema takes longer than ${EVALUATION_LIMIT_MS / 1000} s`
        : 'the schema itself cannot be used';
      return { path: '', keyword: '$schema', message };
    }
  };
  return {
    errors(schema, value) {
      const known = compiled.get(schema) ?? orViolation(() => compile(schema));
      compiled.set(schema, known);
      if (typeof known !== 'function') return [known];
      // A schema may refer to itself without end; that shows only here.
      const found = orViolation(() => known(value));
      return Array.isArray(found) ? found.map(violation) : [found];
    },
  };
}

function violation({ instancePath, keyword, message, params }: ErrorObject): SchemaViolation {
  const member: unknown =
    params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  return {
    path: instancePath,
    keyword,
    message: message ?? 'does not match',
    ...(typeof member === 'string' ? { member } : {}),
  };
}
