import type { Place } from '../../../protocol/model.ts';
import type { RuleContext } from '../../rule.ts';

/** Whether the parser has found something wrong that lies in a place or reaches into it: then what seems to be missing may only be unreadable. */
export function hasProblem({ problems }: RuleContext, { start, end }: Place): boolean {
  return problems.some(
    ({ place, severity }) =>
      severity === 'error' && place.start.offset < end.offset && place.end.offset >= start.offset,
  );
}
