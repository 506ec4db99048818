import { BLOCK_SHAPE } from '../../../protocol/block/block-shape.ts';
import { isStepBlock } from '../../../protocol/block/demand.ts';
import { modernise } from '../../../protocol/block/modernise.ts';
import { readShape } from '../../../protocol/block/shape.ts';

/**
 * Whether a text is a step block in JSON that could be used as it is. Edits that only make a demand heard are offered for
 * such ones: of any other they would bring out more errors than they mend.
 */
export function isUsableJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isStepBlock(value) && readShape(BLOCK_SHAPE, modernise(value).value) !== undefined;
  } catch {
    return false;
  }
}
