import { deriveSlug } from '../../protocol/identity.ts';
import { problemRule } from '../rule.ts';

export const frontmatterBadSlug = problemRule('frontmatter-bad-slug', {
  family: 'frontmatter',
  severity: 'error',
  summary: 'A slug is made of lower-case words joined by hyphens.',
  why: 'The address of a protocol and of each of its steps is computed from the slug, and it is typed on command lines and in URLs. So it has only characters that work in all of them.',
  fixable: 'unsafe',
  fix({ place }, { source, document }) {
    const slug = document.frontmatter?.data.slug;
    if (typeof slug !== 'string' && typeof slug !== 'number') return undefined;
    const derived = deriveSlug(String(slug));
    // Where nothing is left of it, only a person can find a name.
    if (derived.startsWith('p-') && !/p/i.test(String(slug))) return undefined;
    const range: [number, number] = [place.start.offset, place.end.offset];
    if (source.slice(...range).includes('\n')) return undefined;
    // A value that YAML reads as a number needs its quotes.
    return { range, replacement: /[a-z]/.test(derived) ? derived : JSON.stringify(derived), safe: false };
  },
});
