import type { EntryData } from '../ledger/entry.ts';
import { nestingBeyond, parseJson } from '../protocol/block/json.ts';
import type { OutputCheck } from '../protocol/schema.ts';
import { jsonEqual } from './json-equal.ts';
import { atPointer, type LookUp } from './json-pointer.ts';
import type { OutputFault, OutputReading, ReadFile } from './output-reader.ts';
import { type ProofTools, type Refusal, refuse, type Violation } from './verdict.ts';

/** A file's JSON with deeper nesting is rejected unread. */
const MAX_DEPTH = 64;

/** What the ledger keeps of a reading: paths, sizes, digests and which checks passed; no file content. */
export type OutputVerdict = { ok: true; observed: EntryData[] } | Refusal;

/**
 * Whether the files satisfy the outputs of a step; `readings` has one for each, in order. Every file of a
 * path must pass every check. All failures are reported, by their place in the challenge.
 */
export function checkOutputs(
  outputs: readonly OutputCheck[],
  readings: readonly OutputReading[],
  tools: ProofTools,
): OutputVerdict {
  const failures = outputs.flatMap((output, at): Failure[] => {
    const failed = failedCheck(output, readings[at], tools);
    return failed === null ? [] : [{ at, ...failed }];
  });
  if (failures.length > 0) return mismatch(failures, outputs.length);
  return { ok: true, observed: outputs.map((output, at) => observed(output, readings[at]?.files ?? [])) };
}

interface Failure {
  at: number;
  check: string;
  why: string;
}

const FAULTS: Record<OutputFault, string> = {
  'no-folder': 'there is no working directory to read it in',
  path: 'its path cannot be read',
  outside: 'it lies outside of the folders that may be read',
  link: 'it is a symbolic link',
  'not-a-file': 'it is not a file',
  'too-large': 'a file is too large',
  'too-many': 'it names too many files',
  unreadable: 'it cannot be read',
  changed: 'it was changed while it was read',
};

function failedCheck(
  output: OutputCheck,
  reading: OutputReading | undefined,
  tools: ProofTools,
): Omit<Failure, 'at'> | null {
  const { files = [], others = false, fault = 'unreadable' } = reading ?? {};
  if (output.exists === false && (files.length > 0 || others))
    return { check: 'exists', why: 'something is there' };
  if (fault !== null) return { check: 'path', why: FAULTS[fault] };
  if (output.exists === false) return null;
  if (files.length === 0) return { check: 'exists', why: 'no file is there' };
  for (const file of files) {
    const failed = failedFile(output, file, tools);
    if (failed !== null) return failed;
  }
  return null;
}

function failedFile(
  { sha256, matches, json_pointer: pointer, equals, schema }: OutputCheck,
  file: ReadFile,
  { patterns, schemas }: ProofTools,
): Omit<Failure, 'at'> | null {
  if (sha256 !== undefined && file.sha256 !== sha256)
    return { check: 'sha256', why: 'the digest is another one' };
  if (matches !== undefined) {
    if (!patterns.usable(matches)) return { check: 'matches', why: 'the pattern is not valid RE2' };
    if (file.text === null) return { check: 'matches', why: 'a file is not UTF-8 text' };
    if (!patterns.search(matches, file.text)) return { check: 'matches', why: 'the pattern is not found' };
  }
  if (pointer === undefined && equals === undefined && schema === undefined) return null;
  const inner = pointer ?? '';
  const first = pointer !== undefined ? 'json_pointer' : equals !== undefined ? 'equals' : 'schema';
  const json = readJson(file.text);
  if (!json.found) return { check: first, why: 'a file is not JSON' };
  const place = atPointer(json.value, inner);
  if (!place.found) return { check: 'json_pointer', why: 'nothing is at that place' };
  if (equals !== undefined && !jsonEqual(place.value, equals))
    return { check: 'equals', why: 'the value is another one' };
  if (schema !== undefined && schemas.errors(schema, place.value).length > 0)
    return { check: 'schema', why: 'the schema is not satisfied' };
  return null;
}

/** JSON that is read in one way only: no key twice, not nested past all reason. */
function readJson(text: string | null): LookUp {
  if (text === null || nestingBeyond(text, MAX_DEPTH) !== -1) return { found: false };
  const read = parseJson(text);
  return read === undefined || read.hasDuplicates ? { found: false } : { found: true, value: read.value };
}

function mismatch(failures: Failure[], count: number): Refusal {
  const told = failures.map(({ at, check, why }) => `challenge.outputs[${at}].${check}: ${why}`);
  const violations = failures.map(
    ({ at, check }): Violation => ({ pointer: `/outputs/${at}/${check}`, keyword: check }),
  );
  return {
    ...refuse(
      'OUTPUT_MISMATCH',
      `${failures.length} of ${count} outputs ${failures.length === 1 ? 'does' : 'do'} not match. ${told.join('; ')}.`,
    ),
    violations,
  };
}

function observed({ path, exists, ...checks }: OutputCheck, files: readonly ReadFile[]): EntryData {
  return {
    path,
    exists: exists !== false,
    checks: Object.keys(checks),
    files: files.map(({ path: name, size, sha256 }) => ({ path: name, size, sha256 })),
  };
}
