import type { RunErrorCode } from '../base/errors.ts';
import type { EntryData } from '../ledger/entry.ts';

/**
 * `message`: fixed text and numbers only, never the author's text or the answer. MISSING_FIELD means that a
 * field is absent or invalid, TYPE_MISMATCH that the solution has another type than the challenge.
 */
export interface ProofRejection {
  ok: false;
  code: RunErrorCode;
  message: string;
  /** Every place of a value that a schema refuses. */
  violations?: SolutionViolation[];
  /** The requirement, in the author's words, for the record and for people. Agents never see it. */
  wanted?: EntryData;
}

/**
 * `pointer`: JSON Pointer (RFC 6901) into the submitted value. `keyword`: of JSON Schema; `value`: a value
 * that can't be kept.
 */
export interface SolutionViolation {
  pointer: string;
  keyword: string;
}

/** `proof` is the type's object as the ledger keeps it. */
export type Verdict = { ok: true; proof: EntryData } | ProofRejection;

/** What a validator may know besides demand and solution. */
export interface ProofFacts {
  /** Label and body of the step. */
  stepText: string;
  /** Text of the comment that this run accepted last. */
  previousComment: string | null;
}

/**
 * Matching with RE2 semantics. A text never matches a pattern that cannot be used. Undefined: the search exceeds its time
 * limit, so nothing is known.
 */
export interface PatternTools {
  /** Whether the pattern is RE2 at all. */
  usable(pattern: string): boolean;
  /** Found anywhere in the text. */
  search(pattern: string, text: string): boolean | undefined;
  /** Matches the whole text. */
  fullMatch(pattern: string, text: string): boolean | undefined;
  /** The first group of the first match, the whole match where the pattern has no group; null where nothing matches. */
  capture(pattern: string, text: string): string | null | undefined;
}

/** One violation of a JSON Schema. `path` is a JSON Pointer into the value; `keyword` is the schema's, never the author's word. */
export interface SchemaViolation {
  path: string;
  keyword: string;
  /** The member that is missing or too much, where `path` is the object that lacks or has it. */
  member?: string;
  message: string;
}

/** JSON Schema 2020-12. A schema that cannot be used is a violation by itself (keyword `$schema`). */
export interface SchemaTools {
  errors(schema: Record<string, unknown>, value: unknown): SchemaViolation[];
}

/** Loaded by the caller, so that validating stays synchronous and pure. */
export interface ProofTools {
  patterns: PatternTools;
  schemas: SchemaTools;
}

/** A refusal; `message` in fixed words. */
export function rejectProof(code: RunErrorCode, message: string): ProofRejection {
  return { ok: false, code, message };
}
