import { problemRule } from '../rule.ts';
import { ontoOwnLine } from './support/blocks.ts';

export const fenceInline = problemRule('fence-inline', {
  family: 'document',
  severity: 'error',
  summary: 'A code fence begins its line.',
  why: 'After other text three backticks are not a fence. The line that should close the code opens a block instead, and everything after it is read the wrong way round.',
  fixable: 'unsafe',
  fix({ place }, { source }) {
    const moved = ontoOwnLine(source, place.start.offset);
    return moved === undefined ? undefined : { ...moved.edit, safe: false };
  },
});
