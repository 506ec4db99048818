import { detached } from '../../base/escape.ts';
import type { Place } from '../../protocol/model.ts';
import { type AcrossDocuments, problemRule } from '../rule.ts';

interface Slug {
  slug: string;
  title: string;
  place: Place;
}

const across: AcrossDocuments<Slug[]> = {
  collect({ document: { chains, frontmatter } }) {
    const isNamed = frontmatter?.slug !== undefined;
    return chains.map(({ slug, title, titlePlace }) => ({
      slug: detached(slug),
      title: detached(title),
      place: isNamed ? frontmatter.place : titlePlace,
    }));
  },
  check(documents, report) {
    const owners = new Map<string, { path: string | undefined; title: string }>();
    for (const { path, facts } of documents) {
      for (const { slug, title, place } of facts) {
        const owner = owners.get(slug);
        if (owner === undefined) owners.set(slug, { path, title });
        else if (owner.path !== path) {
          report(path, {
            place,
            reason: `The slug "${slug}" already belongs to ${JSON.stringify(owner.title)} in ${owner.path}, so only one of the two can be kept. Give this one a different slug in the frontmatter.`,
          });
        }
      }
    }
  },
};

export const duplicateSlug = problemRule('duplicate-slug', {
  family: 'document',
  severity: 'error',
  summary: 'No two chains have the same slug.',
  why: 'The slug is the name of a protocol, and its address is computed from it. Of two chains with one slug the second is refused at mint, or replaces the first.',
  across: across as AcrossDocuments,
});
