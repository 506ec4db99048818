import { describe, expect, it } from 'vitest';
import { prefixed } from '../../../src/search/embedding/embedder.ts';

describe('prefixed', () => {
  it.each([
    ['nomic-embed-text', 'search_query: x', 'search_document: x'],
    ['intfloat/multilingual-e5-small', 'query: x', 'passage: x'],
    ['Xenova/e5-base-v2', 'query: x', 'passage: x'],
    ['BAAI/bge-small-en-v1.5', 'Represent this sentence for searching relevant passages: x', 'x'],
    ['text-embedding-3-small', 'x', 'x'],
    ['all-MiniLM-L6-v2', 'x', 'x'],
  ])('%s', (model, query, document) => {
    expect([prefixed(model, 'x', 'query'), prefixed(model, 'x', 'document')]).toEqual([query, document]);
  });
});
