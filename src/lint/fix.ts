import type { Fix, LintMessage } from './message.ts';

interface FixOptions {
  /** Also what may change a protocol's meaning. */
  unsafe: boolean;
}

export interface Fixed {
  text: string;
  /** Edits that were made. */
  count: number;
  /**
   * Why more fixes may remain: `bound` after too many rounds, `errors` when a round would have left more
   * errors than it found (it was reverted). Null at a fixed point.
   */
  gaveUp: 'bound' | 'errors' | null;
  /** The stretch of the original text from which a character of the fixed text comes. */
  origin: Origin;
}

export type Origin = (offset: number) => readonly [start: number, end: number];

const MAX_ROUNDS = 10;

/**
 * Fixes a text round by round until nothing is left to fix. `lint` returns a text's messages, after
 * directives.
 */
export async function fixText(
  source: string,
  lint: (text: string) => Promise<readonly LintMessage[]>,
  options: FixOptions,
): Promise<Fixed> {
  const fixed: Fixed = { text: source, count: 0, gaveUp: null, origin: (at) => [at, at + 1] };
  let messages = await lint(source);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { text, count, made } = applyEdits(fixed.text, editsOf(messages, options));
    if (count === 0) return fixed;
    const next = await lint(text);
    if (errorsIn(next) > errorsIn(messages)) return { ...fixed, gaveUp: 'errors' };
    messages = next;
    fixed.text = text;
    fixed.count += count;
    fixed.origin = throughRound(made, fixed.origin);
  }
  return editsOf(messages, options).length === 0 ? fixed : { ...fixed, gaveUp: 'bound' };
}

function throughRound(made: readonly Made[], before: Origin): Origin {
  return (offset) => {
    const [start, end] = originOf(made, offset);
    return [before(start)[0], before(Math.max(start, end - 1))[1]];
  };
}

/** The edits of messages that may be made. */
function editsOf(messages: readonly LintMessage[], { unsafe }: FixOptions): Fix[] {
  return messages.flatMap(({ fix }) => (fix !== undefined && (fix.safe || unsafe) ? [fix] : []));
}

function errorsIn(messages: readonly LintMessage[]): number {
  return messages.filter(({ severity }) => severity === 'error').length;
}

/** The text that edits make, and how many of them were made. */
interface Applied {
  text: string;
  count: number;
  made: Made[];
}

/** An applied edit: its place in the old text, and the length of the new text. */
interface Made {
  start: number;
  end: number;
  length: number;
}

const BOM = '\ufeff';

/**
 * Applies minimal text edits in one round, ordered by place. An edit that overlaps or touches an earlier one
 * waits for the next round, where it may no longer be needed. Text outside the ranges is unchanged, a BOM
 * stays in front, and inserted line breaks match the line around them. Throws on an invalid range.
 */
export function applyEdits(source: string, edits: readonly Fix[]): Applied {
  const first = source.startsWith(BOM) ? BOM.length : 0;
  let text = '';
  let done = 0;
  let lastEnd = -1;
  const made: Made[] = [];
  for (const { range, replacement } of edits.toSorted(byPlace)) {
    const start = Math.max(range[0], first);
    const end = Math.max(range[1], first);
    if (!(range[0] >= 0 && start <= end && end <= source.length)) {
      throw new RangeError(`an edit of ${range.join('..')} in a text of ${source.length}`);
    }
    if (start <= lastEnd) continue;
    const inserted = withLineEnding(replacement, source, start);
    if (inserted === source.slice(start, end)) continue;
    text += source.slice(done, start) + inserted;
    done = end;
    lastEnd = end;
    made.push({ start, end, length: inserted.length });
  }
  return { text: text + source.slice(done), count: made.length, made };
}

/** From which stretch of the old text a character of the new one comes: itself, or all in whose place it was put. */
export function originOf(made: readonly Made[], offset: number): readonly [start: number, end: number] {
  let shift = 0;
  for (const { start, end, length } of made) {
    const at = start + shift;
    if (offset < at) break;
    if (offset < at + length) return [start, end];
    shift += length - (end - start);
  }
  return [offset - shift, offset - shift + 1];
}

/** Of two at one place the shorter one first, then by their text: the order of the input doesn't matter. */
function byPlace(a: Fix, b: Fix): number {
  const byRange = a.range[0] - b.range[0] || a.range[1] - b.range[1];
  if (byRange !== 0 || a.replacement === b.replacement) return byRange;
  return a.replacement < b.replacement ? -1 : 1;
}

/** Line breaks of a replacement are written as LF; a text with CRLF or CR gets its own. */
function withLineEnding(replacement: string, source: string, at: number): string {
  if (!replacement.includes('\n')) return replacement;
  const ending = lineEndingNear(source, at);
  return ending === '\n' ? replacement : replacement.replace(/\r\n|\n/g, ending);
}

/** That of the line at the offset; on the last line, which has none, that of the line before. */
function lineEndingNear(source: string, at: number): string {
  const after = /\r\n|\r|\n/.exec(source.slice(at));
  if (after !== null) return after[0] === '\n' && source[at - 1] === '\r' ? '\r\n' : after[0];
  const before = Math.max(source.lastIndexOf('\n'), source.lastIndexOf('\r'));
  if (before === -1) return '\n';
  return source[before] === '\n' && source[before - 1] === '\r' ? '\r\n' : source[before]!;
}
