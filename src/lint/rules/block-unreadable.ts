import { problemRule } from '../problem-rule.ts';
import { fenceAround, isLoneDemand, isUsableJson, lineEnd } from './support/blocks.ts';
import { chain, commentBlock, step } from './support/example.ts';

/** Step blocks that are not valid JSON or YAML. */
export const blockUnreadable = problemRule('block-unreadable', {
  family: 'block',
  severity: 'error',
  summary: 'A step block is valid JSON or plain YAML.',
  why: 'An unreadable block would demand nothing, which would be noticed only after a run has passed the step. So it is rejected, with the place of the fault.',
  fixable: 'unsafe',
  examples: () => [
    {
      title: 'A comma after the last item',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{"proof_of_work": {"type": "comment",}}\n```'),
      ),
      findings: [{ line: 8, column: 38 }],
      fixed: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{"proof_of_work": {"type": "comment"}}\n```'),
      ),
    },
    {
      title: 'Quotes of a word processor',
      source: chain(
        'Release',
        step('Test', 'Test it.\n\n```json\n{“proof_of_work”: {"type": "comment"}}\n```'),
      ),
      findings: [{ line: 8, column: 2 }],
    },
    {
      title: 'A bracket too few, in YAML',
      source: chain('Release', step('Test', 'Test it.\n\n```yaml\nproof_of_work: {type: comment\n```')),
      findings: [{ line: 8, column: 30 }],
    },
    {
      title: 'A block that can be read, and other JSON that cannot',
      source: chain('Release', step('Test', 'It prints\n\n```json\n{"broken": \n```', commentBlock(40))),
      findings: [],
    },
  ],
  fix({ place, args }, context) {
    const { source } = context;
    const at = place.start.offset;
    if (args.fault !== 'trailing-comma') return undefined;
    const comma = source.lastIndexOf(',', at);
    const [start, end] = fenceAround(source, comma);
    const mended = source.slice(start, comma) + source.slice(comma + 1, end);
    const isSound = source.slice(comma + 1, at).trim() === '' && isUsableJson(mended);
    return isSound && isLoneDemand(context, place, lineEnd(source, end))
      ? { range: [comma, comma + 1], replacement: '', safe: false }
      : undefined;
  },
});
