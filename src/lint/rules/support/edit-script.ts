import type { Fix } from '../../message.ts';
import type { RuleContext, StepScript } from '../../rule.ts';

/**
 * An edit of a command in its source. Undefined if the part is not in the source letter by letter (escapes,
 * folded lines), or if the new text would need escapes.
 */
export function editScript(
  { source }: RuleContext,
  script: StepScript,
  [start, end]: readonly [number, number],
  replacement: string,
): Omit<Fix, 'safe'> | undefined {
  if (/["'\\\r\n]/.test(replacement) || end > script.text.length) return undefined;
  const place = script.place(start, end);
  const range: [number, number] = [place.start.offset, place.end.offset];
  // A neighbour is looked at as well: an empty range would be equal anywhere.
  const around = script.place(Math.max(start - 1, 0), end);
  const isLiteral =
    source.slice(...range) === script.text.slice(start, end) &&
    source.slice(around.start.offset, around.end.offset) === script.text.slice(Math.max(start - 1, 0), end);
  return isLiteral ? { range, replacement } : undefined;
}
