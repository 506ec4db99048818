import { problemRule } from '../rule.ts';

export const blockNotLast = problemRule('block-not-last', {
  family: 'block',
  severity: 'error',
  summary: 'A step block is the last code block of its step.',
  why: 'The last block is what the step demands. If an example follows the demand, their places no longer distinguish the two.',
  fixable: 'unsafe',
  fix({ place }, { source, steps }) {
    const [start, end] = [place.start.offset, place.end.offset];
    const step = steps.find(
      ({ step: { place: at } }) => at.start.offset <= start && end <= at.end.offset,
    )?.step;
    // The margin of an indented fence would be included.
    if (step === undefined || place.start.column > 1) return undefined;
    const after = source.slice(end, step.place.end.offset).trim();
    const block = source.slice(start, end);
    const gap = '\n\n';
    return { range: [start, step.place.end.offset], replacement: `${after}${gap}${block}`, safe: false };
  },
});
