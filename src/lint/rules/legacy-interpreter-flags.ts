import { problemRule } from '../rule.ts';
import { removeMember } from './support/written.ts';

/** `flags` and `args` of older protocols that say nothing. */
export const legacyInterpreterFlags = problemRule('legacy-interpreter-flags', {
  family: 'block',
  severity: 'warning',
  summary: 'A command has an interpreter, without flags and arguments.',
  why: 'Older protocols wrote the flag that hands the command to its interpreter. kairos does that by itself.',
  fixable: 'safe',
  fix({ place }, { source }) {
    const range = removeMember(source, place.start.offset, place.end.offset);
    return range === undefined ? undefined : { range, replacement: '', safe: true };
  },
});
