import type { Rule } from '../rule.ts';
import { chain, step } from './support/example.ts';

/** Links to files that are not there. */
export const brokenLink: Rule = {
  id: 'broken-link',
  family: 'reference',
  severity: 'warning',
  summary: 'A relative link leads to a file that exists.',
  why: 'In the middle of a procedure nobody has the time to look for a page that was moved. What a step refers to must be where the step says.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A page that is not there',
        source: chain('Restart', step('Look', 'See [the runbook](docs/runbook.md#restart) first.')),
        files: ['docs/run-book.md'],
        findings: [
          {
            line: 5,
            column: 19,
            reason:
              'docs/runbook.md does not exist beside this document. Correct the path, or take the link out.',
          },
        ],
      },
      {
        title: 'A page that is there, and what is no relative link',
        source: chain(
          'Restart',
          step(
            'Look',
            'See [the runbook](docs/run%20book.md), [below](#restart), [the site](https://example.org), `[code](no.md)`.',
          ),
        ),
        files: ['docs/run book.md'],
        findings: [],
      },
    ];
  },
  check(context) {
    for (const { path, start, end } of context.links) {
      if (context.exists(path) !== false) continue;
      context.report({
        place: context.place(start, end),
        reason: `${path} does not exist beside this document. Correct the path, or take the link out.`,
      });
    }
  },
};
