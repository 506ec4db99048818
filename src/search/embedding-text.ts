import type { ChainContent } from '../protocol/model.ts';
import { triggerPhrases } from './triggers.ts';

/** Raised when the text comes out differently, so that vectors made of the older one are made again. */
export const EMBEDDING_FORMAT = 1;

/** Small models read a few hundred words; what comes first counts. */
const LENGTH_MAX = 1200;

/**
 * What a chain is about, in the words that say most: title and triggers, or the description where there are none. More
 * text makes small models find less (PERFORMANCE.md).
 */
export function embeddingText({ title, triggers, description }: ChainContent): string {
  const phrases =
    triggers === null ? [] : triggerPhrases(triggers).map((phrase) => phrase.replaceAll('"', ''));
  const parts = [title, ...(phrases.length > 0 ? new Set(phrases) : [description])];
  return parts
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join('. ')
    .slice(0, LENGTH_MAX)
    .replace(/\p{Surrogate}/gu, '');
}
