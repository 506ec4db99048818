import { problemRule } from '../rule.ts';
import { fenceAround, isLoneDemand, isUsableJson, lineEnd } from './support/blocks.ts';

export const blockUnreadable = problemRule('block-unreadable', {
  family: 'block',
  severity: 'error',
  summary: 'A step block is valid JSON or plain YAML.',
  why: 'An unreadable block would demand nothing, which you would notice only after a run. So kairos rejects it, with the place of the fault.',
  fixable: 'unsafe',
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
