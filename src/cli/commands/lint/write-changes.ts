import { KairosError } from '../../../base/errors.ts';
import { replaceDocument } from '../../../lint/files/write-document.ts';
import type { Failure } from '../../../lint/report.ts';
import type { Change } from '../../../lint/run.ts';
import type { Output } from '../../output.ts';
import { unifiedDiff } from '../../views/unified-diff.ts';

/** Writes mended documents to their files. One that cannot be written is told, the others are written all the same. */
export function writeChanges(changes: readonly Change[]): { mended: string[]; failures: Failure[] } {
  const mended: string[] = [];
  const failures: Failure[] = [];
  for (const { document, before, after } of changes) {
    const { file, name } = document;
    if (file === null || name === undefined || before === after) continue;
    try {
      replaceDocument(file, name, before, after);
      mended.push(name);
    } catch (error) {
      if (!(error instanceof KairosError)) throw error;
      failures.push({ path: name, reason: error.message });
    }
  }
  return { mended, failures };
}

/** Shows on standard output what would be changed. */
export function showChanges(changes: readonly Change[], output: Output): void {
  for (const { document, before, after } of changes) {
    output.document(unifiedDiff(document.name ?? 'stdin', before, after));
  }
}
