import type { Place } from '../../protocol/model.ts';
import type { HtmlComment } from '../rule.ts';
import type { Directive, DirectiveKind } from './directive.ts';

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
