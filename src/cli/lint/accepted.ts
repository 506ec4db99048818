import { readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import {
  applyBaseline,
  type Baseline,
  formatBaseline,
  makeBaseline,
  parseBaseline,
} from '../../lint/baseline.ts';
import { oddFile } from '../../lint/files/odd-file.ts';
import type { LintResult } from '../../lint/message.ts';
import { writeFileAtomically } from '../write-file.ts';

/** Holds back what the baseline accepts. Answers how many of its findings are no longer there. Throws when it cannot be read. */
export function acceptBaseline(results: readonly LintResult[], file: string, cwd: string): { gone: number } {
  const path = resolve(cwd, file);
  const baseline = read(path, file);
  if (baseline === null) {
    throw new KairosError('FILE_UNREADABLE', `the baseline ${file} does not exist`, {
      hint: 'Make it with --update-baseline.',
    });
  }
  return applyBaseline(results, baseline, keyMaker(path, cwd));
}

/** Writes all findings into the baseline. What it says of documents that were not looked at stays. */
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
