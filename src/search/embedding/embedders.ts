import { basename, isAbsolute } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import {
  EMBEDDING_PROVIDERS,
  type Embedder,
  type Embedders,
  type EmbeddingProvider,
  type EmbeddingSettings,
} from './embedder.ts';

/** Who makes vectors, by the user's settings; each is loaded once, when it is first asked for. */
export function openEmbedders(settings: EmbeddingSettings): Embedders {
  const opened = new Map<string, Promise<Embedder | null>>();
  const open = (chosen: EmbeddingSettings) => {
    const key = `${chosen.provider}:${chosen.model ?? ''}`;
    let embedder = opened.get(key);
    if (embedder === undefined) {
      embedder = PROVIDERS[chosen.provider](chosen);
      opened.set(key, embedder);
    }
    return embedder;
  };
  return {
    configured: () => open(settings),
    async named(name) {
      const configured = await open(settings);
      if (configured?.name === name) return configured;
      const other = settingsFor(name, settings);
      if (other === null) return null;
      try {
        const embedder = await open(other);
        return embedder?.name === name ? embedder : null;
      } catch (error) {
        if (error instanceof KairosError) return null;
        throw error;
      }
    },
  };
}

/** Loads a provider's code; one that is not asked for costs nothing. A new one is a line here. */
const PROVIDERS: Readonly<
  Record<EmbeddingProvider, (settings: EmbeddingSettings) => Promise<Embedder | null>>
> = {
  static: async () => (await import('./static.ts')).staticEmbedder(),
  none: async () => null,
  'openai-compatible': async (settings) =>
    (await import('./openai-compatible.ts')).openaiCompatible(settings),
  transformers: async (settings) => (await import('./local-models.ts')).transformers(settings),
  energetic: async () => (await import('./local-models.ts')).energetic(),
};

/** The settings with which a model of that name can be reached; null when they cannot be known. */
function settingsFor(name: string, settings: EmbeddingSettings): EmbeddingSettings | null {
  const [, prefix = '', model = ''] = /^([a-z-]+):(.+)$/s.exec(name) ?? [];
  const provider = EMBEDDING_PROVIDERS.find((known) => known === prefix);
  if (provider === undefined || provider === 'none') return null;
  if (provider === 'static') return { ...settings, provider, model: null };
  // A model in a folder is only known by the folder's name.
  if (provider === 'transformers' && !model.includes('/')) {
    const own = settings.model !== null && isAbsolute(settings.model) && basename(settings.model) === model;
    return own ? { ...settings, provider } : null;
  }
  return { ...settings, provider, model };
}
