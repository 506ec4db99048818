import { BLOCK_SHAPE } from '../../../protocol/block/block-shape.ts';
import { isStepBlock } from '../../../protocol/block/demand.ts';
import { modernise } from '../../../protocol/block/modernise.ts';
import { readShape } from '../../../protocol/block/shape.ts';

/**
 * Whether a text is a usable step block in JSON. Only for such blocks are edits offered that make a demand
 * readable: for any other they would cause more errors than they fix.
 */
export function isUsableJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isStepBlock(value) && readShape(BLOCK_SHAPE, modernise(value).value) !== undefined;
  } catch {
    return false;
  }
}
