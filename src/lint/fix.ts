import { applyEdits, type Made, originOf } from './edits.ts';
import type { Fix, LintMessage } from './message.ts';

export interface FixOptions {
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
export function editsOf(messages: readonly LintMessage[], { unsafe }: FixOptions): Fix[] {
  return messages.flatMap(({ fix }) => (fix !== undefined && (fix.safe || unsafe) ? [fix] : []));
}

function errorsIn(messages: readonly LintMessage[]): number {
  return messages.filter(({ severity }) => severity === 'error').length;
}
