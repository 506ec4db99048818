import { problemRule } from '../rule.ts';

/** Inputs that can't be asked for. */
export const frontmatterBadInputs = problemRule('frontmatter-bad-inputs', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Inputs have usable names and definitions.',
  why: 'An input is asked for, checked and recorded by its definition. One that is wrong would be asked for by nothing.',
  fixable: false,
});
