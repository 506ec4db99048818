import { KairosError } from '../base/errors.ts';
import { stepUri } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { OperationContext } from './context.ts';
import { pickRevision, revisionsOf, storedTarget } from './target.ts';

/** `kairos list`: the protocols of the caller's space. */
export async function listProtocols({ store, caller }: OperationContext) {
  return (await store.listChains([caller.space])).map((chain) => ({
    uri: stepUri(chain.chainId, 1),
    slug: chain.slug,
    title: chain.title,
    version: chain.version,
    tags: chain.tags,
    step_count: chain.stepCount,
    digest: chain.digest,
    revision: chain.revision,
    space: chain.space,
    updated_at: chain.updatedAt,
  }));
}

/** `kairos log`: the revisions of a stored protocol, newest first. Number 0 is a revision that is not listed. */
export async function logProtocol(ctx: OperationContext, name: string) {
  const revisions = (await revisionsOf(ctx, storedTarget(name))).toReversed();
  return revisions.map(({ number, digest, createdAt, author, llmModelId, weakened, content }) => ({
    number,
    digest,
    created_at: createdAt,
    author,
    llm_model_id: llmModelId,
    weakened,
    title: content.title,
    version: content.version,
    steps: content.steps.length,
  }));
}

/**
 * `kairos diff`: two revisions of a stored protocol, by number or digest; the last two listed ones where none is
 * named. Throws NOT_FOUND if there is only one.
 */
export async function pickTwoRevisions(
  ctx: OperationContext,
  name: string,
  a: string | undefined,
  b: string | undefined,
): Promise<{ older: NamedContent; newer: NamedContent }> {
  const revisions = await revisionsOf(ctx, storedTarget(name));
  const listed = revisions.filter(({ number }) => number > 0);
  const newer = b === undefined ? listed.at(-1) : pickRevision(revisions, b);
  const older = a === undefined ? listed.at(-2) : pickRevision(revisions, a);
  if (newer !== undefined && older !== undefined) return { older, newer };
  throw new KairosError('NOT_FOUND', `${JSON.stringify(name)} has one revision only`, {
    hint: 'There is nothing to compare it with yet.',
  });
}

interface NamedContent {
  digest: string;
  content: ChainContent;
}
