import type { BlockNode, Place } from '../../../protocol/model.ts';
import type { RuleContext } from '../../rule.ts';

/** The step block that a place lies in; null where none was read, since other things are wrong with it. */
export function blockAround({ steps }: Pick<RuleContext, 'steps'>, { start, end }: Place): BlockNode | null {
  for (const { step } of steps) {
    const { block } = step;
    if (block !== null && block.place.start.offset <= start.offset && end.offset <= block.place.end.offset)
      return block;
  }
  return null;
}
