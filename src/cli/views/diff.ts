import { sep } from 'node:path';
import { diffArrays, FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import type { Output } from '../output.ts';

/** A line of a comparison: kept, removed or added. */
export interface DiffLine {
  mark: ' ' | '-' | '+';
  text: string;
}

/** The search for more changed lines than this would last seconds. The old text is then shown as removed and the new one as added. */
const MAX_EDITS = 1000;
const CONTEXT = 3;

/** Compares two texts line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(a, b, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return [...lines('-', a), ...lines('+', b)];
  return changes.flatMap(({ added, removed, value }) => lines(added ? '+' : removed ? '-' : ' ', value));
}

/** Only the changes, each with up to `context` unchanged lines around it; omitted parts are null. */
export function hunks(diff: readonly DiffLine[], context: number): (DiffLine | null)[] {
  const near = diff.map((_, at) =>
    diff.slice(Math.max(0, at - context), at + context + 1).some(({ mark }) => mark !== ' '),
  );
  return diff.flatMap((line, at) => {
    if (near[at]) return [line];
    return at === 0 || near[at - 1] ? [null] : [];
  });
}

/** A unified diff of two texts, for `patch` and `git apply`; empty when they are equal. Line endings are part of the lines. */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return '';
  const path = name.split(sep).join('/').replace(/^\/+/, '');
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options);
  return formatPatch(patch ?? replacement(path, before, after), FILE_HEADERS_ONLY);
}

/** A patch that replaces the whole text. */
function replacement(path: string, before: string, after: string): StructuredPatch {
  const [removed, added] = [wholeLines('-', before), wholeLines('+', after)];
  const count = (list: readonly string[]) => list.filter((line) => !line.startsWith('\\')).length;
  return {
    oldFileName: `a/${path}`,
    newFileName: `b/${path}`,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [
      {
        oldStart: 1,
        oldLines: count(removed),
        newStart: 1,
        newLines: count(added),
        lines: [...removed, ...added],
      },
    ],
  };
}

function wholeLines(mark: DiffLine['mark'], text: string): string[] {
  if (text === '') return [];
  const parts = text.split('\n');
  const isEnded = parts.at(-1) === '';
  if (isEnded) parts.pop();
  const marked = parts.map((line) => mark + line);
  return isEnded ? marked : [...marked, '\\ No newline at end of file'];
}

function lines(mark: DiffLine['mark'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ mark, text }));
}

/** Prints the changes of a fix, a format or a migration. */
export function showChanges(
  changes: readonly { document: { name: string | undefined }; before: string; after: string }[],
  output: Output,
): void {
  for (const { document, before, after } of changes) {
    output.document(unifiedDiff(document.name ?? 'stdin', before, after));
  }
}
