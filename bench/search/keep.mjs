import { chainId, digest } from '../../dist/bench.js';

/** Stores a content as the first revision of its chain; what names it comes back. */
export async function keep(store, content, space = 'bench') {
  const names = { chainId: chainId(space, content.slug), digest: digest(content) };
  const revision = {
    ...names,
    space,
    content,
    author: 'bench',
    llmModelId: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    weakened: null,
    listed: true,
  };
  await store.putRevision(revision, null);
  return names;
}
