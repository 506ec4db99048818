import type { LintMessage } from '../message.ts';
import { type Directive, type DirectiveRule, isAboutDirectives } from './directive.ts';
import { nextLine } from './next-line.ts';

export interface Relaxed {
  messages: LintMessage[];
  /** What directives suppressed, with their reason. */
  suppressed: { message: LintMessage; reason: string | undefined }[];
}

/**
 * Suppresses what directives disable, and marks the used ones. Of several that cover a message the most
 * specific one counts: for the next line, then the nearest `disable` before, then for the file. Messages of
 * `enforced` rules, and about directives, are never suppressed.
 */
export function applyDirectives(
  source: string,
  messages: readonly LintMessage[],
  directives: readonly Directive[],
  enforced: ReadonlySet<string>,
): Relaxed {
  const relaxed: Relaxed = { messages: [], suppressed: [] };
  const covers = directives.flatMap((directive) => coversOf(source, directive, directives));
  for (const message of messages) {
    const isFixed = isAboutDirectives(message.ruleId) || enforced.has(message.ruleId);
    const cover = isFixed ? undefined : mostSpecific(covers, message);
    if (cover === undefined) relaxed.messages.push(message);
    else {
      cover.rule.used = true;
      relaxed.suppressed.push({ message, reason: cover.directive.reason });
    }
  }
  return relaxed;
}

/** What one rule of one directive covers: messages that begin in the half-open range. */
interface Cover {
  directive: Directive;
  rule: DirectiveRule;
  start: number;
  end: number;
  /** Greater wins. */
  rank: number;
}

function coversOf(source: string, directive: Directive, all: readonly Directive[]): Cover[] {
  const from = directive.place.start.offset;
  return directive.rules.flatMap((rule): Cover[] => {
    if (directive.kind === 'disable-file') {
      return [{ directive, rule, start: 0, end: source.length + 1, rank: 0 }];
    }
    if (directive.kind === 'disable-next-line') {
      const [start, end] = nextLine(source, directive.place.end.offset);
      return [{ directive, rule, start, end, rank: source.length + 1 + from }];
    }
    if (directive.kind === 'disable') {
      return [{ directive, rule, start: from, end: endOf(rule.id, from, all, source), rank: 1 + from }];
    }
    return [];
  });
}

/** Up to the first `enable` of the rule; that one is then of use. */
function endOf(ruleId: string, from: number, all: readonly Directive[], source: string): number {
  for (const directive of all) {
    if (directive.kind !== 'enable' || directive.place.start.offset < from) continue;
    const named = directive.rules.find(({ id }) => id === ruleId);
    if (named === undefined && directive.rules.length > 0) continue;
    if (named !== undefined) named.used = true;
    directive.used = true;
    return directive.place.start.offset;
  }
  return source.length + 1;
}

function mostSpecific(covers: readonly Cover[], { ruleId, place }: LintMessage): Cover | undefined {
  let best: Cover | undefined;
  for (const cover of covers) {
    const at = place.start.offset;
    if (cover.rule.id !== ruleId || at < cover.start || at >= cover.end) continue;
    if (best === undefined || cover.rank > best.rank) best = cover;
  }
  return best;
}
