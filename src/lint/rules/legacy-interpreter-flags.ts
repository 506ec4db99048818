import { problemRule } from '../problem-rule.ts';
import { chain, shellBlock, step } from './support/example.ts';
import { removeMember } from './support/written.ts';

/** `flags` and `args` of older protocols that say nothing. */
export const legacyInterpreterFlags = problemRule('legacy-interpreter-flags', {
  family: 'block',
  severity: 'warning',
  summary: 'A command has an interpreter, without flags and arguments.',
  why: 'Older protocols wrote the flag that hands the command to its interpreter. kairos does that by itself.',
  fixable: 'safe',
  examples: () => [
    {
      title: 'The flag that hands the command over',
      source: chain(
        'Check',
        step('Check', 'Check it.', shellBlock('print(1)', { interpreter: 'python', flags: ['-c'] })),
      ),
      findings: [{ line: 8, column: 114 }],
      fixed: chain('Check', step('Check', 'Check it.', shellBlock('print(1)', { interpreter: 'python' }))),
    },
    {
      title: 'Only an interpreter',
      source: chain('Check', step('Check', 'Check it.', shellBlock('print(1)', { interpreter: 'python3' }))),
      findings: [],
    },
  ],
  fix({ place }, { source }) {
    const range = removeMember(source, place.start.offset, place.end.offset);
    return range === undefined ? undefined : { range, replacement: '', safe: true };
  },
});
