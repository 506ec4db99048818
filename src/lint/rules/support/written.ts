import type { BlockNode, Place } from '../../../protocol/model.ts';
import type { Located, RuleContext } from '../../rule.ts';

type Path = readonly (string | number)[];

/** The place of a normalised block's value in the block as written: older spellings have other keys. */
export function writtenPath({ spelling, raw }: BlockNode, path: Path): Path {
  const [first, second, ...rest] = path;
  if (first !== 'proof_of_work') return path;
  const key = spelling === 'challenge' ? 'challenge' : 'proof_of_work';
  const proof = (raw as Record<string, unknown> | null)?.[key];
  const isFlat = second === 'shell' && isObject(proof) && !('shell' in proof);
  return isFlat ? [key, ...rest] : [key, ...path.slice(1)];
}

/** Whether the author wrote a value, or it is a default. */
export function isWritten(block: BlockNode, path: Path): boolean {
  let value: unknown = block.raw;
  for (const part of writtenPath(block, path)) {
    if ((!isObject(value) && !Array.isArray(value)) || !(part in value)) return false;
    value = (value as Record<string | number, unknown>)[part];
  }
  return true;
}

/** The value of a block, or null if it isn't written or is on a proof line. */
export function locateWritten(context: RuleContext, block: BlockNode, path: Path): Located | null {
  return isWritten(block, path) ? context.locate(block, writtenPath(block, path)) : null;
}

/** The place of a value, or of the nearest thing around it that is written. */
export function placeOf(context: RuleContext, block: BlockNode, path: Path): Place {
  for (let length = path.length; length > 0; length -= 1) {
    const found = locateWritten(context, block, path.slice(0, length));
    if (found !== null) return length < path.length && found.key !== null ? found.key : found.value;
  }
  return block.place;
}

/** The same for its key. */
export function keyPlaceOf(context: RuleContext, block: BlockNode, path: Path): Place {
  return locateWritten(context, block, path)?.key ?? placeOf(context, block, path);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
