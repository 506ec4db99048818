import type { Place } from '../../../protocol/model.ts';
import type { RuleContext } from '../../rule.ts';

/** The problems that an invalid fence causes, and that end with it. */
const FOLLOWS: ReadonlySet<string> = new Set(['fence-unclosed', 'block-unclosed-fence', 'fence-nested']);

/**
 * Whether the text at a place would be the demand of its step if it were readable: it is in a step, the step
 * has no other block and no other fault, and no code follows before the next heading.
 */
export function isLoneDemand(
  { steps, problems, source }: RuleContext,
  { start }: Place,
  end: number,
): boolean {
  const step = steps.find(
    ({ step: { place } }) => place.start.offset <= start.offset && start.offset < place.end.offset,
  )?.step;
  if (step === undefined || step.block !== null) return false;
  const { offset: from } = step.place.start;
  const { offset: to } = step.place.end;
  const others = problems.filter(
    ({ code, place: { start: at } }) =>
      at.offset >= from && at.offset < to && at.offset !== start.offset && !FOLLOWS.has(code),
  );
  const rest = source.slice(end, to);
  const heading = rest.search(/^#{1,2}[ \t]/m);
  return others.length === 0 && !/^ {0,3}(?:`{3}|~{3})/m.test(heading === -1 ? rest : rest.slice(0, heading));
}
