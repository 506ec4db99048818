import type { OperationContext } from '../operations/context.ts';
import type { TrustRecord } from '../run/ports.ts';
import type { NewRevision } from '../store/port.ts';
import type { TrustCase } from './views/trust.ts';

/** A revision to be trusted, and where it came from. `kept`: the store has it already. */
export interface Candidate {
  revision: NewRevision;
  origin: string;
  kept: boolean;
}

/** What is shown before trust is given: the content, and what changed since the last trusted one of its chain. */
export async function subjectOf(ctx: OperationContext, { revision, origin }: Candidate): Promise<TrustCase> {
  const { chainId, digest, content } = revision;
  const record = (await ctx.trust.list()).find(
    (known) => known.chainId === chainId && known.digest !== digest,
  );
  if (record === undefined) return { content, digest, origin, last: null };
  const before = await ctx.store.revisionByDigest(chainId, record.digest);
  return { content, digest, origin, last: { record, content: before?.content ?? null } };
}

/** Gives trust, and keeps the content beside the listed ones. */
export async function grant(ctx: OperationContext, { revision, kept }: Candidate): Promise<TrustRecord> {
  const { chainId, digest, content } = revision;
  // Beside the listed ones, so that the next time it can be told what changed.
  if (!kept) await ctx.store.putRevision(revision, null);
  const record: TrustRecord = {
    digest,
    chainId,
    slug: content.slug,
    title: content.title,
    trustedAt: new Date(ctx.clock()).toISOString(),
    by: ctx.caller.actor,
  };
  await ctx.trust.grant(record);
  return record;
}
