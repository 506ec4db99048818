import type { EmbeddingKind } from './embedder.ts';

/** Model families that were trained with words before the text, by a part of their name (from their model cards). */
const FAMILIES: readonly [RegExp, Record<EmbeddingKind, string>][] = [
  [/nomic-embed/i, { query: 'search_query: ', document: 'search_document: ' }],
  [/\be5\b|[/_-]e5[-_]/i, { query: 'query: ', document: 'passage: ' }],
  [
    /bge-(?:small|base|large)-en|snowflake-arctic-embed|mxbai-embed/i,
    { query: 'Represent this sentence for searching relevant passages: ', document: '' },
  ],
];

/** A text in a model's form: for some models, its first words mark it as a query or a document. */
export function prefixed(model: string, text: string, kind: EmbeddingKind): string {
  const family = FAMILIES.find(([name]) => name.test(model));
  return family === undefined ? text : family[1][kind] + text;
}
