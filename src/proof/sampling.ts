import { isObject, own } from '../base/json.ts';
import { findTooDeep, parseJson } from '../formats/json/parse.ts';
import { foreignJson } from '../ledger/entry.ts';
import { faultyValues } from '../protocol/block/value.ts';
import type { SamplingDemand } from './demand.ts';
import {
  type ProofFacts,
  type ProofRejection,
  type ProofTools,
  rejectProof,
  type SchemaViolation,
  type SolutionViolation,
  type Verdict,
} from './verdict.ts';

/** Deeper nesting is rejected unread. */
const MAX_DEPTH = 64;
/** More violations than this are counted, not listed: an answer that is wrong everywhere is not worth a longer list. */
const MAX_LISTED = 256;

/**
 * A model's answer. `result` is a JSON value, or its text if the schema doesn't accept that text itself. All
 * violations of the schema are reported, with their place in the result. Kept: `result_json` (RFC 8785 text).
 */
export function validateSampling(
  { sampling: { output_schema: schema } }: SamplingDemand,
  payload: unknown,
  _facts: ProofFacts,
  { schemas }: ProofTools,
): Verdict {
  const result = isObject(payload) ? own(payload, 'result') : undefined;
  if (result === undefined) {
    return rejectProof(
      'MISSING_FIELD',
      'solution.sampling.result is missing: it must be what the model answered, as a JSON value or as its text.',
    );
  }
  const asGiven = judge(result);
  if (asGiven.length === 0) return kept(result);
  const text = typeof result === 'string' ? readText(result) : null;
  if (text === null) return invalid(asGiven);
  if ('fault' in text) return rejectProof('SAMPLING_INVALID_OUTPUT', FAULTS[text.fault]);
  const parsed = judge(text.value);
  return parsed.length === 0 ? kept(text.value) : invalid(parsed);

  function judge(value: unknown): SolutionViolation[] {
    const lost = faultyValues(value).filter(({ fault }) => fault !== 'nul');
    if (lost.length > 0) return lost.map(({ path }) => ({ pointer: pointerOf(path), keyword: 'value' }));
    return distinct(schemas.errors(schema, value).map(violation));
  }
}

const FAULTS = {
  deep: `The text of solution.sampling.result nests deeper than ${MAX_DEPTH}.`,
  twice:
    'The text of solution.sampling.result contains a key twice in one object, so its meaning is unclear.',
} as const;

/** Some models put a fence around their JSON. */
const FENCED = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```\s*$/;

/** A JSON text, parsed; null for other text. Ambiguous text is a fault. */
function readText(given: string): { value: unknown } | { fault: keyof typeof FAULTS } | null {
  const text = FENCED.exec(given)?.[1] ?? given;
  const deep = findTooDeep(text, MAX_DEPTH) !== -1;
  const read = deep ? undefined : parseJson(text);
  if (deep) return { fault: 'deep' };
  if (read === undefined) return null;
  return read.hasDuplicates ? { fault: 'twice' } : { value: read.value };
}

function kept(value: unknown): Verdict {
  return { ok: true, proof: { result_json: foreignJson(value) } };
}

function invalid(violations: SolutionViolation[]): ProofRejection {
  if (violations.some(({ keyword }) => keyword === '$schema')) {
    return rejectProof(
      'SAMPLING_INVALID_OUTPUT',
      'The output_schema of this step is not a JSON Schema of 2020-12 that can be used, so nothing satisfies it: the step has to be updated.',
    );
  }
  const count = violations.length;
  const unlisted = count > MAX_LISTED ? ` The first ${MAX_LISTED} are listed.` : '';
  return {
    ...rejectProof(
      'SAMPLING_INVALID_OUTPUT',
      `solution.sampling.result does not satisfy challenge.sampling.output_schema: ${count} ${count === 1 ? 'place is' : 'places are'} wrong, see violations.${unlisted}`,
    ),
    violations: violations.slice(0, MAX_LISTED),
  };
}

/** The place of a missing or surplus member is its own, not that of the object around it. */
function violation({ path, keyword, member }: SchemaViolation): SolutionViolation {
  return { pointer: member === undefined ? path : `${path}/${escaped(member)}`, keyword };
}

function distinct(violations: SolutionViolation[]): SolutionViolation[] {
  return [...new Map(violations.map((one) => [`${one.keyword} ${one.pointer}`, one])).values()];
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((part) => `/${escaped(String(part))}`).join('');
}

/** A reference token of RFC 6901. */
function escaped(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
