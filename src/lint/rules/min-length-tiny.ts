import type { LintRule } from '../rule.ts';
import { isWritten, keyPlaceOf, nearestPlace, replaceValue } from './support/written.ts';

/** Graphemes below which a comment can hardly describe an observation. */
const ENOUGH = 20;
const ADVISED = 40;
const MIN_LENGTH = ['proof_of_work', 'comment', 'min_length'];

export const minLengthTiny: LintRule = {
  id: 'min-length-tiny',
  family: 'proof',
  severity: 'info',
  summary: 'A comment is long enough to describe an observation.',
  why: 'Ten characters are "it is fine". A sentence about what was seen and where needs forty or more, and a person who has not done the work finds it hard to write.',
  fixable: 'unsafe',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      const proof = block?.value.proof_of_work;
      if (block === null || proof?.type !== 'comment' || proof.comment.min_length >= ENOUGH) continue;
      const place = isWritten(block, MIN_LENGTH)
        ? nearestPlace(context, block, MIN_LENGTH)
        : keyPlaceOf(context, block, ['proof_of_work']);
      const fix = replaceValue(context, block, MIN_LENGTH, ADVISED);
      context.report({
        place,
        reason: `A comment of ${proof.comment.min_length} characters has almost no content. Ask for a sentence or two: "min_length": ${ADVISED} or more.`,
        ...(fix === undefined ? {} : { fix: { ...fix, safe: false } }),
      });
    }
  },
};
