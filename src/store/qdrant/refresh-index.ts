import { SEARCH_FORMAT, toSearchDocument } from '../../search/document.ts';
import type { Points } from './api.ts';
import { changeChain } from './chain-point.ts';
import { is, ofKind } from './ids.ts';
import { headOf } from './revisions.ts';
import type { Words } from './words.ts';

/** Indexes again what an older build has indexed in its own way. What a newer one did is left alone. */
export async function refreshIndex(points: Points, words: Words): Promise<void> {
  const older = ofKind('chain', is('live', true), {
    key: 'search_format',
    range: { lt: SEARCH_FORMAT },
  });
  for await (const { id } of points.all(older, ['kind'])) {
    await changeChain(points, String(id), async (state) => {
      const revision = await headOf(points, state);
      if (revision === null || state.head === null) return { answer: undefined };
      const document = toSearchDocument(revision.content);
      await words.learn(points, state.space, document);
      return { next: { ...state, head: { ...state.head, document } }, answer: undefined };
    });
  }
}
