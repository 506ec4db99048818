import { problemRule } from '../rule.ts';

export const headingWithoutSpace = problemRule('heading-without-space', {
  family: 'document',
  severity: 'error',
  summary: 'A heading has a space after its marks.',
  why: 'CommonMark reads `##Approve` as text. The step would be missing, and its text and step block would belong to the step before.',
  fixable: 'unsafe',
  fix({ place }) {
    const at = place.start.offset + 2;
    return { range: [at, at], replacement: ' ', safe: false };
  },
});
