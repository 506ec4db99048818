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
    needs.patterns ? import('./patterns.ts').then(({ loadPatternTools }) => loadPatternTools()) : NO_PATTERNS,
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
