import { escapeForTerminal } from '../../../base/escape.ts';
import { plural } from '../../../lint/report.ts';
import type { FixedText } from '../../../lint/run.ts';
import { writeChanges } from '../../../operations/lint/documents.ts';
import type { Visited } from '../../../operations/lint/visit-protocols.ts';
import type { Output } from '../../output.ts';
import { showChanges } from '../../views/diff.ts';

interface RewriteOptions {
  write: boolean;
  diff: boolean;
}

/** Shows, writes, or prints (for standard input) what would be changed. Answers the names of the files that were written. */
export function carryOut(
  changes: readonly FixedText[],
  visited: Visited,
  { write, diff }: RewriteOptions,
  output: Output,
): string[] {
  if (diff && !output.json) showChanges(changes, output);
  if (!write) return [];
  if (visited.stdin !== null) {
    output.document(changes[0]?.after ?? visited.stdin);
    return [];
  }
  const { mended, failures } = writeChanges(changes);
  visited.failures.push(...failures);
  return mended;
}

/** Tells on standard error what could not be done, and how much was looked at. */
export function reportVisited({ failures, count, prose, ignored, notices }: Visited, output: Output): void {
  if (output.json) return;
  for (const { path, reason } of failures) {
    output.note(
      `${output.noteColor.red('error:')} ${escapeForTerminal(path)}: ${escapeForTerminal(reason, { keepNewlines: true })}`,
    );
  }
  for (const notice of notices) output.note(output.noteColor.dim(escapeForTerminal(notice)));
  const parts = [`${plural(count, 'protocol')} looked at`];
  if (prose > 0) parts.push(`${plural(prose, 'file')} of prose skipped`);
  if (ignored > 0) parts.push(`${ignored} ignored`);
  output.note(output.noteColor.dim(`${parts.join(', ')}.`));
}

/** One line for each document. */
export function reportNames(names: readonly string[], verb: string, output: Output): void {
  for (const name of names) output.print(`${verb} ${escapeForTerminal(name)}`);
}
