import { readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { writeFileAtomically } from '../../host/files/write-file.ts';
import {
  applyBaseline,
  type Baseline,
  fingerprintsWithin,
  formatBaseline,
  makeBaseline,
  moveFindings,
  parseBaseline,
} from '../../lint/baseline.ts';
import { oddFile } from '../../lint/files/read-document.ts';
import type { LintResult } from '../../lint/message.ts';
import type { FileFailure } from '../../lint/report.ts';
import type { FixedDocument } from '../../lint/run.ts';

/** What happened to the texts before they were looked at. */
export interface FixOutcome {
  changes: readonly FixedDocument[];
  /** Names of those that were written to their files. */
  written: readonly string[];
}

export interface Accepted {
  /** Findings of the baseline that are no longer there. */
  gone: number;
  /** Findings that the baseline now has by their fixed lines. */
  carried: number;
  /** Why the baseline could not be written. */
  failure: FileFailure | null;
}

/**
 * Removes the findings that the baseline accepts. A finding that it accepted in a fixed line stays accepted: it is written into the
 * baseline as in the file now. Throws when the baseline cannot be read.
 */
export async function acceptBaseline(
  results: readonly LintResult[],
  file: string,
  cwd: string,
  { changes, written }: FixOutcome = { changes: [], written: [] },
): Promise<Accepted> {
  const path = resolve(cwd, file);
  const baseline = read(path, file);
  if (baseline === null) {
    throw new KairosError('FILE_UNREADABLE', `the baseline ${file} does not exist`, {
      hint: 'Make it with --update-baseline.',
    });
  }
  const keyOf = keyMaker(path, cwd);
  const mendings = new Map(changes.map((change) => [change.document.name, change]));
  const { gone, moved } = applyBaseline(results, baseline, {
    keyOf,
    before: (name, { ruleId, place }) => {
      const mending = mendings.get(name);
      if (mending === undefined) return [];
      return fingerprintsWithin(ruleId, mending.before, mending.origin(place.start.offset));
    },
  });
  const keys = new Set(written.map(keyOf));
  const carried = moved.filter(({ document }) => keys.has(document));
  if (carried.length === 0) return { gone, carried: 0, failure: null };
  try {
    await writeFileAtomically(path, formatBaseline(moveFindings(baseline, carried)), true);
  } catch (error) {
    if (!(error instanceof KairosError)) throw error;
    return { gone, carried: 0, failure: { path: file, reason: error.message } };
  }
  return { gone, carried: carried.length, failure: null };
}

/** Writes all findings into the baseline. Its findings of documents that were not linted stay. */
export async function updateBaseline(
  results: readonly LintResult[],
  file: string,
  cwd: string,
): Promise<void> {
  const path = resolve(cwd, file);
  const before = read(path, file) ?? { version: 1, documents: {} };
  await writeFileAtomically(path, formatBaseline(makeBaseline(results, before, keyMaker(path, cwd))), true);
}

function read(path: string, name: string): Baseline | null {
  let text: string;
  try {
    const odd = oddFile(path);
    if (odd !== null) throw new Error(`it is ${odd} and no file`);
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new KairosError('FILE_UNREADABLE', `the baseline ${name} cannot be read: ${message}`, {
      hint: 'Check the path and its permissions.',
      cause,
    });
  }
  return parseBaseline(text, name);
}

/** Documents are called by their way from the baseline, so that it can be kept in the repository. */
function keyMaker(baseline: string, cwd: string): (path: string | undefined) => string {
  return (path) =>
    path === undefined ? '<stdin>' : relative(dirname(baseline), resolve(cwd, path)).split(sep).join('/');
}
