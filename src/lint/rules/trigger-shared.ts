import { detached } from '../../base/escape.ts';
import type { AcrossDocuments, LintRule } from '../rule.ts';

interface Triggers {
  title: string;
  /** Folded phrases with the place of their section. */
  phrases: { phrase: string; place: Parameters<Report>[1]['place'] }[];
}
type Report = Parameters<AcrossDocuments['check']>[1];

const across: AcrossDocuments<Triggers[]> = {
  collect({ document }) {
    const found = document.chains.flatMap(({ title, triggers }) =>
      triggers === null
        ? []
        : [
            {
              title: detached(title),
              phrases: phrasesOf(triggers.markdown).map((phrase) => ({
                phrase: detached(phrase),
                place: triggers.place,
              })),
            },
          ],
    );
    return found.length === 0 ? null : found;
  },
  check(documents, report) {
    const owners = new Map<string, { path: string | undefined; title: string }>();
    for (const { path, facts } of documents) {
      for (const { title, phrases } of facts) {
        for (const { phrase, place } of phrases) {
          const owner = owners.get(phrase);
          if (owner === undefined) owners.set(phrase, { path, title });
          else if (owner.title !== title || owner.path !== path) {
            report(path, {
              place,
              reason: `The trigger "${phrase}" also belongs to ${JSON.stringify(owner.title)} in ${owner.path ?? 'this call'}. Describe in one of them what is special about it.`,
            });
          }
        }
      }
    }
  },
};

export const triggerShared: LintRule = {
  id: 'trigger-shared',
  family: 'document',
  severity: 'info',
  summary: 'A trigger leads to one protocol.',
  why: 'Search treats a trigger like a title. When two protocols claim the same phrase, none of them stands clear, and an agent must guess which one is right.',
  check() {},
  across: across as AcrossDocuments,
};

/** One phrase a line, as search reads them: without list marker, quotes, case and doubled spaces. */
function phrasesOf(markdown: string): string[] {
  const phrases = markdown.split(/\r\n|\r|\n/).map((line) =>
    line
      .replace(/^[\s>]*(?:[-*+]|\d{1,9}[.)])?\s+/, '')
      .replace(/["“”„«»「」`*]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase(),
  );
  return [...new Set(phrases.filter((phrase) => /[\p{L}\p{N}]/u.test(phrase)))];
}
