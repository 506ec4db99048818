import { problemRule } from '../rule.ts';

export const blockInvalid = problemRule('block-invalid', {
  family: 'block',
  severity: 'error',
  summary: 'A step block has the fields of its type, each of the right kind.',
  why: 'An invalid demand cannot be proven or checked. The same schema checks a block here, at mint and in a run, so a block that passes here works in a run.',
});
