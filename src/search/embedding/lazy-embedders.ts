import type { Embedders, EmbeddingSettings } from './embedder.ts';

/** Who makes vectors, loaded when somebody asks; undefined when the user wants none. */
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
