import type { Rule } from '../rule.ts';
import { chain, step } from './support/example.ts';
import { frontmatterKey, KNOWN_KEYS, seemsMeant } from './support/frontmatter.ts';

const BODY = chain('Deploy', step('Deploy', 'Deploy it.'));

/** Keys of other tools, which have no effect here. */
export const frontmatterUnusedKey: Rule = {
  id: 'frontmatter-unused-key',
  family: 'frontmatter',
  severity: 'info',
  summary: 'What the frontmatter says for other tools has no effect on a protocol.',
  why: 'A title or description in the frontmatter is neither shown nor searched nor part of what is minted: the heading and the text below it are. It may stay for the tool that reads it.',
  fixable: false,
  get examples() {
    return [
      {
        title: 'A title beside the title',
        source: `---\ntitle: Deploy the site\n---\n${BODY}`,
        findings: [
          {
            line: 2,
            column: 1,
            reason:
              'The key title has no effect here: it is neither shown nor searched nor minted. Say it in the text, or keep it for the tool that reads it.',
          },
        ],
      },
      { title: 'Keys that are read', source: `---\nslug: deploy-site\n---\n${BODY}`, findings: [] },
    ];
  },
  check(context) {
    const { frontmatter } = context.document;
    if (frontmatter === null) return;
    for (const key of Object.keys(frontmatter.data)) {
      if (KNOWN_KEYS.includes(key) || seemsMeant(key)) continue;
      context.report({
        place: frontmatterKey(context, frontmatter, key),
        reason: `The key ${key} has no effect here: it is neither shown nor searched nor minted. Say it in the text, or keep it for the tool that reads it.`,
      });
    }
  },
};
