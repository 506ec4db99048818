import { afterEach, describe, expect, it } from 'vitest';
import type { EmbeddingSettings } from '../../../src/search/embedding/embedder.ts';
import { openaiCompatible } from '../../../src/search/embedding/openai-compatible.ts';
import { type EmbeddingServer, letters, type Reply, startEmbeddingServer } from './embedding-server.ts';

const KEY = 'sk-not-a-real-key-123456';
const open: EmbeddingServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function setUp(replies: Reply[] = [], settings: Partial<EmbeddingSettings> = {}, timeoutMs = 60_000) {
  const server = await startEmbeddingServer(replies);
  open.push(server);
  const embedder = openaiCompatible(
    { provider: 'openai-compatible', model: 'm', url: server.url, apiKey: KEY, ...settings },
    { firstPauseMs: 1, timeoutMs },
  );
  return { server, embedder };
}

describe('openaiCompatible', () => {
  it('posts texts and puts vectors in the order of the texts', async () => {
    const { server, embedder } = await setUp();
    const vectors = await embedder.embed(['ab', 'zz', ''], 'document');
    expect(vectors.map((vector) => [...vector])).toEqual([letters('ab'), letters('zz'), letters('')]);
    expect(server.asked).toEqual([
      {
        url: '/v1/embeddings',
        headers: expect.objectContaining({ authorization: `Bearer ${KEY}` }),
        body: { model: 'm', input: ['ab', 'zz', ' '] },
      },
    ]);
    expect(embedder.name).toBe('openai-compatible:m');
  });

  it('sends no missing key, accepts any form of the address, and batches', async () => {
    const { server, embedder } = await setUp([], { apiKey: null });
    await embedder.embed(
      Array.from({ length: 70 }, (_, at) => `text ${at}`),
      'document',
    );
    expect(server.asked.map(({ body }) => body.input.length)).toEqual([32, 32, 6]);
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
    for (const url of [`${server.url}/`, `${server.url}/embeddings`]) {
      await openaiCompatible({ provider: 'openai-compatible', model: 'm', url, apiKey: null }).embed(
        ['a'],
        'query',
      );
      expect(server.asked.at(-1)?.url).toBe('/v1/embeddings');
    }
  });

  it('marks a text as query or document for models that need it', async () => {
    const { server, embedder } = await setUp([], { model: 'nomic-embed-text' });
    await embedder.embed(['a'], 'query');
    await embedder.embed(['a'], 'document');
    expect(server.asked.map(({ body }) => body.input)).toEqual([['search_query: a'], ['search_document: a']]);
  });

  it.each([
    ['429', { status: 429, headers: { 'retry-after': '0' } }],
    ['503', { status: 503 }],
    ['a reset', { reset: true }],
  ])('tries again after %s', async (_name, reply: Reply) => {
    const { server, embedder } = await setUp([reply, reply]);
    expect(await embedder.embed(['ab'], 'document')).toHaveLength(1);
    expect(server.asked).toHaveLength(3);
  });

  it('gives up in the end, and immediately where trying again cannot help', async () => {
    const down = await setUp(Array.from({ length: 9 }, () => ({ status: 503, body: 'busy' })));
    await expect(down.embedder.embed(['a'], 'query')).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: expect.stringMatching(
        /^the embedding provider openai-compatible:m answered 503 at http.*: busy$/,
      ),
    });
    expect(down.server.asked).toHaveLength(4);
    const refused = await setUp([{ status: 401, body: `bad key ${KEY}` }]);
    await expect(refused.embedder.embed(['a'], 'query')).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: expect.stringMatching(/answered 401 at .*: bad key \[redacted\]$/),
      hint: expect.stringContaining('KAIROS_EMBEDDING_API_KEY'),
    });
    expect(refused.server.asked).toHaveLength(1);
  });

  it('does not wait without end, and ends with the caller', async () => {
    const slow = await setUp([{ hang: true }], {}, 300);
    await expect(slow.embedder.embed(['a'], 'query')).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      message: expect.stringContaining('did not answer in 0.3 s'),
    });
    const ended = await setUp([{ hang: true }]);
    const reason = new Error('enough');
    await expect(ended.embedder.embed(['a'], 'query', AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it.each([
    ['no JSON', 'hello'],
    ['no data', {}],
    ['too few vectors', { data: [{ index: 0, embedding: [1] }] }],
    ['vectors of different length', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }],
    ['no dimensions', { data: [{ embedding: [] }, { embedding: [] }] }],
    ['something that is no number', { data: [{ embedding: [1] }, { embedding: ['x'] }] }],
    ['an error object', { error: { message: 'no such model' } }],
  ])('refuses %s', async (_name, body) => {
    const { embedder } = await setUp([{ body }]);
    await expect(embedder.embed(['a', 'b'], 'document')).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
  });

  it('does not follow a redirect with the key in hand', async () => {
    const elsewhere = await setUp();
    const { embedder } = await setUp(
      Array.from({ length: 4 }, () => ({
        status: 307,
        headers: { location: `${elsewhere.server.url}/embeddings` },
      })),
    );
    await expect(embedder.embed(['a'], 'document')).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    expect(elsewhere.server.asked).toEqual([]);
  });

  it.each([
    [{ model: null }, 'embedding_model is not set'],
    [{ url: null }, 'embedding_url is not set'],
    [{ url: 'localhost:11434' }, 'embedding_url is not an http'],
    [{ url: 'ftp://x/v1' }, 'embedding_url is not an http'],
    [{ url: 'http://me:secret@x/v1' }, 'embedding_url is not an http'],
  ])('needs a model and an address: %j', async (settings, message) => {
    await expect(setUp([], settings)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    });
  });
});
