import { atPointer, jsonEqual, type LookUp } from '../base/json.ts';
import { findTooDeep, parseJson } from '../formats/json/parse.ts';
import type { EntryData } from '../ledger/entry.ts';
import type { OutputCheck } from '../protocol/schema.ts';
import { type ProofRejection, type ProofTools, rejectProof, type SolutionViolation } from './verdict.ts';

/** A file's JSON with deeper nesting is rejected unread. */
const MAX_DEPTH = 64;

/** What the ledger keeps of a reading: paths, sizes, digests and which checks passed; no file content. */
type OutputVerdict = { ok: true; observed: EntryData[] } | ProofRejection;

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
  file: ReadOutput,
  { patterns, schemas }: ProofTools,
): Omit<Failure, 'at'> | null {
  if (sha256 !== undefined && file.sha256 !== sha256)
    return { check: 'sha256', why: 'the digest is another one' };
  if (matches !== undefined) {
    if (!patterns.usable(matches)) return { check: 'matches', why: 'the pattern is not valid RE2' };
    if (file.text === null) return { check: 'matches', why: 'a file is not UTF-8 text' };
    const isFound = patterns.search(matches, file.text);
    if (isFound === undefined) return { check: 'matches', why: 'the pattern is too slow for a file' };
    if (!isFound) return { check: 'matches', why: 'the pattern is not found' };
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
  if (text === null || findTooDeep(text, MAX_DEPTH) !== -1) return { found: false };
  const read = parseJson(text);
  return read === undefined || read.hasDuplicates ? { found: false } : { found: true, value: read.value };
}

function mismatch(failures: Failure[], count: number): ProofRejection {
  const told = failures.map(({ at, check, why }) => `challenge.outputs[${at}].${check}: ${why}`);
  const violations = failures.map(
    ({ at, check }): SolutionViolation => ({ pointer: `/outputs/${at}/${check}`, keyword: check }),
  );
  return {
    ...rejectProof(
      'OUTPUT_MISMATCH',
      `${failures.length} of ${count} outputs ${failures.length === 1 ? 'does' : 'do'} not match. ${told.join('; ')}.`,
    ),
    violations,
  };
}

function observed({ path, exists, ...checks }: OutputCheck, files: readonly ReadOutput[]): EntryData {
  return {
    path,
    exists: exists !== false,
    checks: Object.keys(checks),
    files: files.map(({ path: name, size, sha256 }) => ({ path: name, size, sha256 })),
  };
}

/** A file that an output names, as read. */
export interface ReadOutput {
  /** Relative to the folder it was found in, with `/`; as written where the output names an absolute path. */
  path: string;
  /** In bytes. */
  size: number;
  /** Lower-case hex, of all of it. */
  sha256: string;
  /** Its content as UTF-8. Null: not requested, longer than 4 MiB, or not UTF-8. */
  text: string | null;
}

/**
 * Why an output could not be read: no folder to read in; an invalid path, or one outside the folders; a
 * symbolic link; a folder, device, pipe or socket; too large; too many; no permission or a disk fault;
 * changed while it was read.
 */
export type OutputFault =
  | 'no-folder'
  | 'path'
  | 'outside'
  | 'link'
  | 'not-a-file'
  | 'too-large'
  | 'too-many'
  | 'unreadable'
  | 'changed';

/** What was found under the path of one output. */
export interface OutputReading {
  /** By path. */
  files: ReadOutput[];
  /** Something else exists there too: a folder, for example, or a file that must not exist. */
  others: boolean;
  fault: OutputFault | null;
}

/** Reads the files that outputs name, and nothing else. */
export interface OutputReader {
  /** The folders that are read in, the working directory first; empty: every output is refused. */
  folders(): Promise<readonly string[]>;
  /**
   * One reading for each output, in order; never throws for what it finds. `within`: folders of the client, which narrow;
   * null: they do not.
   */
  read(outputs: readonly OutputCheck[], within: readonly string[] | null): Promise<OutputReading[]>;
}
