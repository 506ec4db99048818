import { isStepBlock } from '../../../protocol/block/demand.ts';
import { modernise } from '../../../protocol/block/modernise.ts';
import { stepBlockSchema } from '../../../protocol/schema.ts';

/**
 * Whether a text is a step block in JSON that could be used as it is. Edits that only make a demand heard are offered for
 * such ones: of any other they would bring out more errors than they mend.
 */
export function isUsableJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isStepBlock(value) && stepBlockSchema.safeParse(modernise(value).value).success;
  } catch {
    return false;
  }
}
