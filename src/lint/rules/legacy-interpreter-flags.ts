import { problemRule } from '../rule.ts';
import { removeMember } from './support/written.ts';

export const legacyInterpreterFlags = problemRule('legacy-interpreter-flags', {
  family: 'block',
  severity: 'warning',
  summary: 'A command has an interpreter, without flags and arguments.',
  why: 'Older protocols wrote the flag that passes the command to its interpreter. kairos adds that flag itself.',
  fixable: 'safe',
  fix({ place }, { source }) {
    const range = removeMember(source, place.start.offset, place.end.offset);
    return range === undefined ? undefined : { range, replacement: '', safe: true };
  },
});
