import type { RE2JS } from 're2js';
import type { OutputCheck } from '../protocol/schema.ts';
import type { Demand } from './demand.ts';
import type { PatternTools, ProofTools, SchemaTools } from './verdict.ts';

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
    needs.schemas ? import('./schemas.ts').then(({ loadSchemas }) => loadSchemas()) : NO_SCHEMAS,
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
