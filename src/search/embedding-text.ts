import type { ChainContent } from '../protocol/model.ts';
import { triggerPhrases } from './triggers.ts';

/** Raised when the texts come out differently, so that vectors made of the older ones are made again. */
export const EMBEDDING_FORMAT = 2;

/** Small models read a few hundred words; what comes first counts. */
const LENGTH_MAX = 1200;
/** Triggers beyond these are found by their words and by the text of the whole chain. */
const TRIGGERS_MAX = 12;
/** Sentences of a request that are looked up by themselves. */
const PASSAGES_MAX = 8;
/** A shorter sentence says little by itself. */
const PASSAGE_WORDS_MIN = 3;

/**
 * The texts of a chain that each get a vector: title; title with description; title with the labels of its steps; each
 * trigger; and at the end all of that in one. Texts that say the same are given once.
 */
export function embeddingTexts({ title, triggers, description, steps }: ChainContent): string[] {
  const phrases =
    triggers === null ? [] : triggerPhrases(triggers).map((phrase) => phrase.replaceAll('"', ''));
  const labels = steps.map(({ label }) => label).join('. ');
  const parts = [
    [title],
    [title, description],
    [title, labels],
    ...phrases.slice(0, TRIGGERS_MAX).map((each) => [each]),
  ];
  const whole = joined([title, ...new Set(phrases), description, labels]);
  return [...new Set(parts.map(joined).filter((text) => text !== '')), whole];
}

/** The sentences of a request, for one that has several. */
export function passagesOf(text: string): string[] {
  const sentences = text
    .split(/(?<=[.!?;:,。！？；])\s+|\n+/u)
    .filter((sentence) => sentence.trim().split(/\s+/).length >= PASSAGE_WORDS_MIN);
  return sentences.length < 2 ? [] : sentences.slice(0, PASSAGES_MAX);
}

function joined(parts: readonly string[]): string {
  return parts
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .join('. ')
    .slice(0, LENGTH_MAX)
    .replace(/\p{Surrogate}/gu, '');
}
