import type { Embedders, EmbeddingSettings } from './embedder.ts';

/** Returns embedders that are loaded on first use, or undefined when the user has turned vectors off. */
export function lazyEmbedders(settings: EmbeddingSettings): Embedders | undefined {
  if (settings.provider === 'none') return undefined;
  let opened: Promise<Embedders> | null = null;
  const open = () => {
    opened ??= import('./embedders.ts').then(({ openEmbedders }) => openEmbedders(settings));
    return opened;
  };
  return {
    configured: async () => (await open()).configured(),
    named: async (name) => (await open()).named(name),
  };
}
