import type { Place } from '../../protocol/model.ts';
import type { LintMessage } from '../message.ts';
import type { HtmlComment } from '../rule.ts';
import { type Directive, type DirectiveKind, type DirectiveRule, isAboutDirectives } from './directive.ts';

interface Relaxed {
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

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * The half-open range of the next line that isn't blank. If a code fence begins there, the range is the whole
 * fenced block (CommonMark section 4.5), because a comment can't be inside it.
 */
function nextLine(source: string, after: number): [start: number, end: number] {
  let start = lineEnd(source, after);
  while (start < source.length && source.slice(start, lineEnd(source, start)).trim() === '') {
    start = lineEnd(source, start);
  }
  const end = lineEnd(source, start);
  const fence = FENCE.exec(source.slice(start, end))?.[1];
  return [start, fence === undefined ? end : fenceEnd(source, end, fence)];
}

function fenceEnd(source: string, from: number, fence: string): number {
  const closing = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*[\\r\\n]*$`);
  let start = from;
  while (start < source.length) {
    const end = lineEnd(source, start);
    if (closing.test(source.slice(start, end))) return end;
    start = end;
  }
  return source.length;
}

/** The offset after the line's ending: LF, CRLF or CR. */
function lineEnd(source: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\n') return at + 1;
    if (source[at] === '\r') return source[at + 1] === '\n' ? at + 2 : at + 1;
  }
  return source.length;
}

const KINDS: readonly string[] = [
  'disable',
  'enable',
  'disable-next-line',
  'disable-file',
] satisfies DirectiveKind[];
const OPENING = '<!--'.length;

/**
 * Reads a comment as a directive: `kairos-disable RULE[, RULE] -- reason`. Commas or spaces separate rules. A
 * comment is a directive only if its first word begins with `kairos-`; the kind of an unknown one is null.
 */
export function parseDirective(
  comment: HtmlComment,
  place: (start: number, end: number) => Place,
): Directive | null {
  const head = /^\s*kairos-([\w-]+)(?=\s|$)/.exec(comment.text);
  if (head === null) return null;
  const [before, name = ''] = head;
  const start = comment.place.start.offset + OPENING;
  const rest = comment.text.slice(before.length);
  const reasonAt = /(?:^|\s)--(?:\s|$)/.exec(rest);
  const list = reasonAt === null ? rest : rest.slice(0, reasonAt.index);
  const reason = reasonAt === null ? '' : rest.slice(reasonAt.index + reasonAt[0].length).trim();
  const listStart = start + before.length;
  return {
    kind: KINDS.includes(name) ? (name as DirectiveKind) : null,
    name: `kairos-${name}`,
    namePlace: place(listStart - name.length - 'kairos-'.length, listStart),
    rules: [...list.matchAll(/[^\s,]+/g)].map((match) => ({
      id: match[0],
      place: place(listStart + match.index, listStart + match.index + match[0].length),
      used: false,
    })),
    reason: reason === '' ? undefined : reason,
    used: false,
    place: comment.place,
  };
}
