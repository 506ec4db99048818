import { problemRule } from '../rule.ts';
import { isLoneDemand, isUsableJson, ontoOwnLine } from './support/blocks.ts';

export const blockPseudoFence = problemRule('block-pseudo-fence', {
  family: 'block',
  severity: 'error',
  summary: 'The fence of a step block begins its line.',
  why: 'After other text three backticks are not a fence: the block is read as text, and its closing line turns everything after it into code.',
  fixable: 'unsafe',
  fix({ place }, context) {
    const moved = ontoOwnLine(context.source, place.start.offset);
    if (moved === undefined || !isUsableJson(moved.content)) return undefined;
    return isLoneDemand(context, place, moved.end) ? { ...moved.edit, safe: false } : undefined;
  },
});
