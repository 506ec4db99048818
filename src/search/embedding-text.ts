import type { ChainContent } from '../protocol/model.ts';
import { triggerPhrases } from './triggers.ts';

/** Raised when the text comes out differently, so that vectors made of the older one are made again. */
export const EMBEDDING_FORMAT = 1;

/** Small models read a few hundred words; what comes first counts. */
const LENGTH_MAX = 1200;

/** What a chain is about, in the words that say most first: title, triggers, description, labels of the steps. */
export function embeddingText({ title, triggers, description, steps }: ChainContent): string {
  const phrases =
    triggers === null ? [] : triggerPhrases(triggers).map((phrase) => phrase.replaceAll('"', ''));
  const parts = [title, ...new Set(phrases), description, ...steps.map(({ label }) => label)];
  return parts
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join('. ')
    .slice(0, LENGTH_MAX)
    .replace(/\p{Surrogate}/gu, '');
}
