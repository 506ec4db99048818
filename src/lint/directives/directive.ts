import type { Place } from '../../protocol/model.ts';
import type { Fix } from '../message.ts';

export type DirectiveKind = 'disable' | 'enable' | 'disable-next-line' | 'disable-file';

/** A comment for the linter. */
export interface Directive {
  /** Null when no such directive exists. */
  kind: DirectiveKind | null;
  /** As written, `kairos-` included. */
  name: string;
  namePlace: Place;
  /** None named: `enable` means all; the others mean nothing. */
  rules: DirectiveRule[];
  reason: string | undefined;
  /** Of `enable` without rules: whether it ended a `disable`. */
  used: boolean;
  /** The whole comment. */
  place: Place;
}

export interface DirectiveRule {
  id: string;
  place: Place;
  /** Set while messages are settled: whether it suppressed a message or, for `enable`, ended a `disable`. */
  used: boolean;
}

/** Directives can't configure rules about directives: these are set only in the configuration. */
export function isAboutDirectives(ruleId: string): boolean {
  return ruleId.startsWith('directive-');
}

/** Removes a directive from the text without changing the markdown around it. */
export function removeDirective(source: string, { place }: Directive): Fix {
  const { offset: start } = place.start;
  const { offset: end } = place.end;
  const lineStart = Math.max(source.lastIndexOf('\n', start - 1), source.lastIndexOf('\r', start - 1)) + 1;
  const before = source.slice(lineStart, start).replace(/^\ufeff/, '');
  const after = /^[^\r\n]*/.exec(source.slice(end))![0];
  if (before.trim() === '' && after.trim() === '')
    return removeLines(source, start - before.length, end + after.length);
  // A block of HTML begins here: what follows on the line must not begin to count as markdown.
  if (/^[\s>*+-]*(?:\d+[.)]\s*)?$/.test(before))
    return { range: [start, end], replacement: '<!-- -->', safe: true };
  const spaces = /^(?:\s|$)/.test(after) ? /[ \t]*$/.exec(before)![0].length : 0;
  return { range: [start - spaces, end], replacement: '', safe: true };
}

/** Removes one rule from a directive that names several. */
export function removeRule(source: string, directive: Directive, rule: DirectiveRule): Fix {
  const { rules } = directive;
  const at = rules.indexOf(rule);
  const next = rules[at + 1];
  const previous = rules[at - 1];
  if (previous !== undefined) {
    return { range: [previous.place.end.offset, rule.place.end.offset], replacement: '', safe: true };
  }
  if (next !== undefined) {
    return { range: [rule.place.start.offset, next.place.start.offset], replacement: '', safe: true };
  }
  return removeDirective(source, directive);
}

/** An empty line stays where the lines around are not empty: they were two blocks. One of two empty lines goes as well. */
function removeLines(source: string, start: number, end: number): Fix {
  const next = lineBreakAt(source, end);
  const before = source.slice(0, start).replace(/^\ufeff/, '');
  const isBlankBefore = before === '' || /(?:^|\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)$/.test(before);
  const rest = source.slice(end + next);
  const blankAfter = rest === '' ? '' : /^[ \t]*(?:\r\n|\r|\n)/.exec(rest)?.[0];
  if (!isBlankBefore && blankAfter === undefined) return { range: [start, end], replacement: '', safe: true };
  const extra = isBlankBefore ? (blankAfter?.length ?? 0) : 0;
  return { range: [start, end + next + extra], replacement: '', safe: true };
}

function lineBreakAt(source: string, at: number): number {
  if (source.startsWith('\r\n', at)) return 2;
  return source[at] === '\n' || source[at] === '\r' ? 1 : 0;
}
