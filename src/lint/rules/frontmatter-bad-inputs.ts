import { problemRule } from '../rule.ts';

export const frontmatterBadInputs = problemRule('frontmatter-bad-inputs', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Inputs have usable names and definitions.',
  why: 'kairos asks for an input, checks it and records it by its definition. With a wrong definition it can do none of that.',
});
