import { problemRule } from '../rule.ts';

export const frontmatterBadTags = problemRule('frontmatter-bad-tags', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'Tags are a list of texts.',
  why: 'Search and lists show tags one by one. A single text with commas would be one long tag that no user searches for.',
  fixable: 'unsafe',
  fix({ place }, { source, document }) {
    const tags = document.frontmatter?.data.tags;
    const range: [number, number] = [place.start.offset, place.end.offset];
    const isPlain = typeof tags === 'string' && source.slice(...range) === tags && /^[\w ,-]+$/.test(tags);
    if (!isPlain) return undefined;
    const words = tags.split(',').map((tag) => tag.trim());
    return words.every((word) => /^[A-Za-z]/.test(word))
      ? { range, replacement: `[${words.join(', ')}]`, safe: false }
      : undefined;
  },
});
