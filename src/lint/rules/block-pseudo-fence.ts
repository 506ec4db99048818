import { problemRule } from '../problem-rule.ts';
import { isLoneDemand, isUsableJson, ontoOwnLine } from './support/blocks.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** Step blocks whose fence does not begin its line. */
export const blockPseudoFence = problemRule('block-pseudo-fence', {
  family: 'block',
  severity: 'error',
  summary: 'The fence of a step block begins its line.',
  why: 'After other text three backticks are not a fence: the block is read as text, and its closing line turns everything after it into code.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'A fence after a word',
      source: chain('Release', step('Test', 'Proof: ```json\n{"proof_of_work": {"type": "comment"}}\n```')),
      findings: [{ line: 5, column: 8 }],
      fixed: chain('Release', step('Test', 'Proof:\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```')),
    },
    {
      title: 'A separate fence',
      source: chain('Release', step('Test', 'Proof:', commentBlock(40))),
      findings: [],
    },
  ],
  fix({ place }, context) {
    const moved = ontoOwnLine(context.source, place.start.offset);
    if (moved === undefined || !isUsableJson(moved.content)) return undefined;
    return isLoneDemand(context, place, moved.end) ? { ...moved.edit, safe: false } : undefined;
  },
});
