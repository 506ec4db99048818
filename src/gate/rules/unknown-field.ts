import { violations } from '../violation.ts';
import type { Rule } from './rule.ts';

const found = violations('K-PROP-106');

/** No field is there that the schema does not have. */
export const unknownField: Rule = {
  code: 'K-PROP-106',
  title: 'No field is there that the schema does not have',
  check: ({ reading }) =>
    [...reading.problems.values()]
      .flatMap(({ unknown }) => unknown)
      .map((pointer) => found(pointer, 'The schema has no such field.')),
};
