import { hereCommand, programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { readSource, type SourceInput, sourceName } from '../host/files/read-source.ts';
import { chainId, digest, isSlug, stepUri, toContent } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Revision, RunRow } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { requireHead } from './dump.ts';
import { type DocumentFinding, requireDocument } from './findings.ts';
import { resolveUri, revisionBySlug } from './run/locate.ts';

/** What `FILE|URI|SLUG` names. A bare word of a-z, 0-9 and hyphens is a slug; a file of such a name is `./name`. */
type Target = { kind: 'file'; path: string } | { kind: 'uri'; uri: string } | { kind: 'slug'; slug: string };

/** Reads what a target is from its form alone, so that an existing file never changes the meaning of a word. */
export function readTarget(text: string): Target {
  // A mistyped URI too: its error shows the form of a URI.
  if (/^kairos:/i.test(text)) return { kind: 'uri', uri: text };
  if (isSlug(text)) return { kind: 'slug', slug: text };
  return { kind: 'file', path: text };
}

/** The revision that a target names: a digest's own, else the newest listed one. Throws NOT_FOUND. */
export async function revisionOf(
  ctx: OperationContext,
  target: Exclude<Target, { kind: 'file' }>,
): Promise<Revision> {
  if (target.kind === 'slug')
    return (await revisionByDigest(ctx, target.slug)) ?? revisionBySlug(ctx, target.slug);
  const { chainId } = await resolveUri(ctx, target.uri);
  return requireHead(ctx, chainId, target.uri);
}

/**
 * The revision with a digest, or with its beginning of 8 characters or more unless that is a slug. It may be an earlier one, or
 * one that only a run of a file has kept. Null without one.
 */
async function revisionByDigest(ctx: OperationContext, name: string): Promise<Revision | null> {
  if (!/^[0-9a-f]{8,64}$/.test(name)) return null;
  const { store, caller } = ctx;
  const isWhole = name.length === 64;
  if (!isWhole && (await store.headBySlug(caller.space, name)) !== null) return null;
  const stored = [
    ...(await store.listChains([caller.space])),
    ...(await store.findRuns({ spaces: [caller.space] })),
  ];
  const found = new Map<string, Revision>();
  for (const id of new Set(stored.map(({ chainId: each }) => each))) {
    const revisions = isWhole ? [await store.revisionByDigest(id, name)] : await store.revisions(id);
    for (const each of revisions) {
      if (each?.digest.startsWith(name) === true && each.space === caller.space) found.set(each.digest, each);
    }
    if (isWhole && found.size > 0) break;
  }
  const [first = null] = found.values();
  return found.size < 2 ? first : null;
}

/** A stored protocol, by any of its names. */
interface NamedProtocol {
  chainId: string;
  /** Of the file, or the digest that is named; null where a slug or URI names the whole protocol. */
  digest: string | null;
  from: Target['kind'] | 'digest';
}

/**
 * The protocols that a file, URI, slug or digest names, for every command alike: several only of a file. Also where they are
 * not listed and only runs of them are stored. Throws NOT_FOUND for a name that nothing has.
 */
async function protocolsNamed(
  ctx: OperationContext,
  text: string,
  io: SourceInput,
): Promise<[NamedProtocol, ...NamedProtocol[]]> {
  const target = readTarget(text);
  const { store, caller } = ctx;
  if (target.kind === 'file') {
    const { chains } = await readChains(target.path, caller.space, io);
    const [first, ...others] = chains.map((chain) => ({ ...chain, from: 'file' as const }));
    // A document without a protocol is refused when it is read.
    return [first!, ...others];
  }
  if (target.kind === 'uri')
    return [{ chainId: (await resolveUri(ctx, target.uri)).chainId, digest: null, from: 'uri' }];
  const byDigest = await revisionByDigest(ctx, target.slug);
  if (byDigest !== null) return [{ ...byDigest, from: 'digest' }];
  const head = await store.headBySlug(caller.space, target.slug);
  const id = head?.chainId ?? chainId(caller.space, target.slug);
  const isKnown =
    head !== null ||
    (await store.revisions(id)).length > 0 ||
    (await store.findRuns({ spaces: [caller.space], chainId: id, limit: 1 })).length > 0;
  if (!isKnown) await revisionBySlug(ctx, target.slug);
  return [{ chainId: id, digest: null, from: 'slug' }];
}

/** Whether a run is of a protocol that is named so; of one revision for a digest. Throws NOT_FOUND. */
export async function runsNamed(
  ctx: OperationContext,
  text: string,
  io: SourceInput,
): Promise<(run: Pick<RunRow, 'chainId' | 'digest'>) => boolean> {
  const named = await protocolsNamed(ctx, text, io);
  return (run) =>
    named.some(
      ({ chainId: id, digest: only, from }) =>
        run.chainId === id && (from !== 'digest' || run.digest === only),
    );
}

/** One stored protocol. Throws INVALID_INPUT for a file of several. */
async function protocolNamed(ctx: OperationContext, text: string, io: SourceInput): Promise<NamedProtocol> {
  const [named, another] = await protocolsNamed(ctx, text, io);
  if (another === undefined) return named;
  throw new KairosError('INVALID_INPUT', `${text} has several protocols`, {
    hint: `Name one by its slug. See them with: ${ctx.commandLine(['show', text])}`,
  });
}

/**
 * The URI of the stored protocol that a file, URI (returned unchanged), slug or digest names. Its newest revision is meant:
 * throws INVALID_INPUT for the digest of another one. `exact`: for a file of other content, too.
 */
export async function uriOf(
  ctx: OperationContext,
  text: string,
  io: SourceInput,
  exact = false,
): Promise<string> {
  const target = readTarget(text);
  if (target.kind === 'uri') return target.uri;
  const { chainId: id, digest: wanted, from } = await protocolNamed(ctx, text, io);
  const head = await ctx.store.head(id);
  if (head === null) {
    if (target.kind === 'slug' && from === 'slug') await revisionBySlug(ctx, target.slug);
    throw new KairosError('NOT_FOUND', `the protocol of ${text} is not stored`, {
      hint: `Store it with: ${ctx.commandLine(['mint', from === 'file' ? text : 'FILE'])}`,
    });
  }
  if (wanted !== null && wanted !== head.digest && (exact || from === 'digest')) {
    throw new KairosError(
      'INVALID_INPUT',
      from === 'digest'
        ? `${text} is not the newest revision of ${head.content.slug}`
        : `${text} differs from the stored protocol ${head.content.slug}`,
      { hint: `To run exactly this content: ${ctx.commandLine(['run', text])}` },
    );
  }
  return stepUri(id, 1);
}

/** Every revision of a stored protocol, unlisted ones first, then by number. Throws NOT_FOUND. */
export async function revisionsOf(
  ctx: OperationContext,
  text: string,
  io: SourceInput,
): Promise<[Revision, ...Revision[]]> {
  const { chainId: id } = await protocolNamed(ctx, text, io);
  const [first, ...others] = await ctx.store.revisions(id);
  if (first !== undefined) return [first, ...others];
  throw new KairosError('NOT_FOUND', `no revision of ${text} is stored`, {
    hint: `A file is stored first: ${hereCommand(['mint', 'FILE'])}.`,
  });
}

/** The revision that a number, or a digest or its beginning (8 characters or more), names. Throws NOT_FOUND. */
export function pickRevision(revisions: readonly Revision[], name: string): Revision {
  const isNumber = /^[1-9]\d{0,6}$/.test(name);
  const found = revisions.filter(({ number, digest }) =>
    isNumber ? number === Number(name) : name.length >= 8 && digest.startsWith(name.toLowerCase()),
  );
  const [first] = found;
  if (first !== undefined && found.every(({ digest }) => digest === first.digest)) return first;
  throw new KairosError('NOT_FOUND', `no single revision is named ${JSON.stringify(name)}`, {
    hint: `Give a number, or at least 8 characters of a digest, as ${programName()} log shows them.`,
  });
}

/** `kairos log`: the revisions of a stored protocol, newest first. Number 0 is a revision that is not listed. */
export async function logProtocol(ctx: OperationContext, name: string, io: SourceInput) {
  const revisions = (await revisionsOf(ctx, name, io)).toReversed();
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
  [name, a, b]: readonly [string, string | undefined, string | undefined],
  io: SourceInput,
): Promise<{ older: NamedContent; newer: NamedContent }> {
  const revisions = await revisionsOf(ctx, name, io);
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

/** A chain of a file, named as if it were stored in this space. */
export interface FileChain {
  chainId: string;
  digest: string;
  content: ChainContent;
}

/** The chains of a file (`-`: standard input). Throws PROTOCOL_INVALID with every error in it. */
export async function readChains(
  path: string,
  space: string,
  io: SourceInput,
): Promise<{ chains: FileChain[]; warnings: DocumentFinding[] }> {
  const { document, warnings } = await requireDocument(await readSource(path, io), sourceName(path));
  const chains = document.chains.map((chain) => {
    const content = toContent(chain);
    return { chainId: chainId(space, content.slug), digest: digest(content), content };
  });
  return { chains, warnings };
}
