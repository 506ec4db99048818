import { describe, expect, it } from 'vitest';
import type { EmbeddingSettings } from '../../../src/search/embedding/embedder.ts';
import { openEmbedders } from '../../../src/search/embedding/embedders.ts';

const settings = (parts: Partial<EmbeddingSettings>): EmbeddingSettings => ({
  provider: 'none',
  model: null,
  url: null,
  apiKey: null,
  ...parts,
});
const SERVER = settings({ provider: 'openai-compatible', model: 'new', url: 'http://127.0.0.1:9/v1' });
const nameOf = async (given: EmbeddingSettings, name: string) =>
  (await openEmbedders(given).named(name))?.name ?? null;

describe('openEmbedders', () => {
  it('opens the configured provider once', async () => {
    expect(await openEmbedders(settings({})).configured()).toBeNull();
    const embedders = openEmbedders(SERVER);
    const first = await embedders.configured();
    expect(first?.name).toBe('openai-compatible:new');
    expect(await embedders.configured()).toBe(first);
    expect(await embedders.named('openai-compatible:new')).toBe(first);
  });

  it('reaches the model that is still in use while another one is configured', async () => {
    expect(await nameOf(SERVER, 'openai-compatible:old')).toBe('openai-compatible:old');
    expect(await nameOf(SERVER, 'transformers:Xenova/old')).toBe('transformers:Xenova/old');
    const english = 'energetic:universal-sentence-encoder-lite-en';
    expect(await nameOf(SERVER, english)).toBe(english);
  });

  it('returns null for what the settings cannot provide', async () => {
    const local = settings({ provider: 'transformers', model: '/models/mine' });
    expect(await nameOf(local, 'transformers:mine')).toBe('transformers:mine');
    for (const name of [
      'openai-compatible:old',
      'transformers:other',
      'pigeon:x',
      'none:',
      'x',
      'energetic:other',
    ]) {
      expect([name, await nameOf(local, name)]).toEqual([name, null]);
    }
  });
});
