import { problemRule } from '../rule.ts';

/** Step blocks with a field missing or of the wrong kind. */
export const blockInvalid = problemRule('block-invalid', {
  family: 'block',
  severity: 'error',
  summary: 'A step block has the fields of its type, each of the right kind.',
  why: 'A demand that cannot be understood cannot be met or checked. The same schema judges a block here, at mint and in a run, so what passes here will be heard.',
  fixable: false,
});
