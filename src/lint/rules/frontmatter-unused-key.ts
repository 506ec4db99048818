import type { LintRule } from '../rule.ts';
import { frontmatterKey, KNOWN_KEYS, seemsMeant } from './support/blocks.ts';

export const frontmatterUnusedKey: LintRule = {
  id: 'frontmatter-unused-key',
  family: 'frontmatter',
  severity: 'info',
  summary: 'Frontmatter for other tools has no effect on a protocol.',
  why: 'A title or description in the frontmatter is neither shown nor searched nor part of what is minted: the heading and the text below it are. It may stay for the tool that reads it.',
  check(context) {
    const { frontmatter } = context.document;
    if (frontmatter === null) return;
    const unused = Object.keys(frontmatter.data).filter(
      (key) => !KNOWN_KEYS.includes(key) && !seemsMeant(key),
    );
    if (unused.length === 0) return;
    const names = unused.join(', ');
    context.report({
      place: frontmatterKey(context, frontmatter, unused[0]!),
      reason: `kairos doesn't read ${unused.length === 1 ? `the key ${names}: its value isn't` : `these keys: ${names}. Their values aren't`} shown, searched or minted. Put the information into the text, or keep the keys for the tool that reads them.`,
    });
  },
};
