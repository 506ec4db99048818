import { hereCommand, programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import type { SourceInput } from '../host/files/read-source.ts';
import type { FoundServer } from '../host/mcp-client/find-server.ts';
import { serverDigest } from '../host/mcp-client/resolve-server.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { TrustRecord, TrustStore } from '../run/ports.ts';
import type { NewRevision } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { readChains, readTarget, revisionOf } from './target.ts';

/** A revision to be trusted, and where it came from. `kept`: the store has it already. */
export interface TrustCandidate {
  revision: NewRevision;
  origin: string;
  kept: boolean;
}

/** What a person is asked to trust. */
export interface TrustCase {
  content: ChainContent;
  digest: string;
  /** A path, or author, space and revision. */
  origin: string;
  /** The newest trust in the same chain. `content` is null when this store does not have it. */
  last: { record: TrustRecord; content: ChainContent | null } | null;
}

/**
 * What a file, URI or slug names, to be trusted: several only of a file. Throws NOT_FOUND, and INVALID_INPUT for a digest of
 * `wanted` that none of it has.
 */
export async function trustCandidates(
  ctx: OperationContext,
  text: string,
  io: SourceInput,
  wanted: readonly string[] = [],
): Promise<TrustCandidate[]> {
  const candidates = await candidatesOf(ctx, text, io);
  const found = candidates.map(({ revision }) => revision.digest);
  const missing = wanted.find((digest) => !found.includes(digest));
  if (missing === undefined) return candidates;
  throw new KairosError(
    'INVALID_INPUT',
    `${JSON.stringify(text)} does not have the digest ${JSON.stringify(missing)}; it has ${found.join(', ')}`,
    { hint: `It may have changed since you saw it. Check it again: ${hereCommand(['trust', text])}` },
  );
}

async function candidatesOf(ctx: OperationContext, text: string, io: SourceInput): Promise<TrustCandidate[]> {
  const target = readTarget(text);
  if (target.kind !== 'file') {
    const revision = await revisionOf(ctx, target);
    const { author, space, number } = revision;
    const origin = `${number > 0 ? `revision ${number}` : 'an unlisted revision'} by ${author} in space ${space}`;
    return [{ revision: { ...revision, listed: number > 0 }, origin, kept: true }];
  }
  const { space, actor } = ctx.caller;
  const { chains } = await readChains(target.path, space, io);
  const createdAt = new Date(ctx.clock()).toISOString();
  return chains.map((chain) => ({
    revision: { ...chain, space, author: actor, llmModelId: null, createdAt, weakened: null, listed: false },
    origin: target.path,
    kept: false,
  }));
}

/** What is shown before trust is given: the content, and what changed since the last trusted one of its chain. */
export async function trustCaseOf(
  ctx: OperationContext,
  { revision, origin }: TrustCandidate,
): Promise<TrustCase> {
  const { chainId, digest, content } = revision;
  const record = (await ctx.trust.list()).find(
    (known) => known.chainId === chainId && known.digest !== digest,
  );
  if (record === undefined) return { content, digest, origin, last: null };
  const before = await ctx.store.revisionByDigest(chainId, record.digest);
  return { content, digest, origin, last: { record, content: before?.content ?? null } };
}

/** Grants trust to a revision, stores its content and returns the record. */
export async function grant(ctx: OperationContext, { revision, kept }: TrustCandidate): Promise<TrustRecord> {
  const { chainId, digest, content } = revision;
  // Stored unlisted, so that the next trust question can show what changed.
  if (!kept) await ctx.store.putRevision(revision, null);
  return give(ctx, {
    digest,
    chainId,
    slug: content.slug,
    title: content.title,
    ...(content.holds === undefined ? {} : { holds: content.holds }),
  });
}

/** Grants trust to an MCP server, as the file that names it starts it now. */
export async function grantServer(ctx: OperationContext, { definition }: FoundServer): Promise<void> {
  const { name, command, args } = definition;
  await give(ctx, {
    digest: serverDigest(definition),
    chainId: '',
    slug: `mcp-server-${name}`,
    title: [command, ...args].join(' '),
  });
}

async function give(
  { trust, clock, caller }: OperationContext,
  { holds, ...subject }: Omit<TrustRecord, 'trustedAt' | 'by'>,
): Promise<TrustRecord> {
  const record: TrustRecord = {
    ...subject,
    trustedAt: new Date(clock()).toISOString(),
    by: caller.actor,
    ...(holds === undefined ? {} : { holds }),
  };
  await trust.grant(record);
  return record;
}

/** Where trust is revoked. The store is opened only for a URI. */
interface TrustHost {
  trust: TrustStore;
  space: string;
  chainIdOf: (uri: string) => Promise<string>;
}

/**
 * Revokes the trust of one digest, or of every content of the protocol that a file, URI or slug names, old ones and deleted
 * protocols included. Returns the digests. Throws NOT_FOUND for a name that nothing trusted has.
 */
export async function revoke(host: TrustHost, text: string, io: SourceInput): Promise<string[]> {
  const matches = await matcher(host, text, io);
  const revoked: string[] = [];
  for (const record of await host.trust.list()) {
    if (matches(record) && (await host.trust.revoke(record.digest))) revoked.push(record.digest);
  }
  if (revoked.length > 0) return revoked;
  throw new KairosError('NOT_FOUND', `nothing that ${JSON.stringify(text)} names is trusted here`, {
    hint: `List what is trusted with: ${programName()} trust --list`,
  });
}

async function matcher(
  { space, chainIdOf }: TrustHost,
  text: string,
  io: SourceInput,
): Promise<(record: TrustRecord) => boolean> {
  if (/^[0-9a-f]{64}$/.test(text)) return ({ digest }) => digest === text;
  const target = readTarget(text);
  if (target.kind === 'slug') return ({ slug }) => slug === target.slug;
  if (target.kind === 'uri') {
    const chainId = await chainIdOf(target.uri);
    return (record) => record.chainId === chainId;
  }
  const { chains } = await readChains(target.path, space, io);
  return ({ slug, digest }) => chains.some((chain) => chain.digest === digest || chain.content.slug === slug);
}
