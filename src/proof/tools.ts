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

/** Returns matchers for patterns of documents, with RE2 semantics. */
export async function loadPatternTools(): Promise<PatternTools> {
  const [{ RE2JS }, { isTimeLimit, withinTime }] = await Promise.all([
    import('re2js'),
    import('../base/json-schema.ts'),
  ]);
  const compiled = new Map<string, RE2JS | null>();
  const compile = (pattern: string): RE2JS | null => {
    let known = compiled.get(pattern);
    if (known === undefined) {
      try {
        known = withinTime(() => RE2JS.compile(pattern));
      } catch {
        known = null;
      }
      compiled.set(pattern, known);
    }
    return known;
  };
  const match = <T>(pattern: string, work: (usable: RE2JS) => T): T | null | undefined => {
    const usable = compile(pattern);
    if (usable === null) return null;
    try {
      return withinTime(() => work(usable));
    } catch (error) {
      return isTimeLimit(error) ? undefined : null;
    }
  };
  const whether = (found: boolean | null | undefined) => (found === null ? false : found);
  return {
    usable: (pattern) => compile(pattern) !== null,
    search: (pattern, text) => whether(match(pattern, (usable) => usable.test(text))),
    fullMatch: (pattern, text) => whether(match(pattern, (usable) => usable.testExact(text))),
    capture: (pattern, text) =>
      match(pattern, (usable) => {
        const matcher = usable.matcher(text);
        if (!matcher.find()) return null;
        return matcher.groupCount() > 0 ? (matcher.group(1) ?? null) : (matcher.group() ?? null);
      }),
  };
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
