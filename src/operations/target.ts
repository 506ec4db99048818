import { hereCommand, programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { readSource, type SourceInput, sourceName } from '../host/files/read-source.ts';
import { chainId, digest, isSlug, stepUri, toContent } from '../protocol/identity.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { Revision } from '../store/port.ts';
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

/** The live revision that a URI (of any of its steps) or a slug names. */
export async function revisionOf(
  ctx: OperationContext,
  target: Exclude<Target, { kind: 'file' }>,
): Promise<Revision> {
  if (target.kind === 'slug') return revisionByName(ctx, target.slug);
  const { chainId } = await resolveUri(ctx, target.uri);
  return requireHead(ctx, chainId, target.uri);
}

/** A digest has the form of a slug: the live revision with this digest comes before a slug that looks like one. */
async function revisionByName(ctx: OperationContext, name: string): Promise<Revision> {
  if (/^[0-9a-f]{64}$/.test(name)) {
    const chains = await ctx.store.listChains([ctx.caller.space]);
    const named = chains.find(({ digest }) => digest === name);
    const head = named === undefined ? null : await ctx.store.head(named.chainId);
    if (head !== null) return head;
  }
  return revisionBySlug(ctx, name);
}

/** The URI of a stored protocol that a URI (returned unchanged), slug or digest names. */
export async function uriOf(ctx: OperationContext, text: string): Promise<string> {
  const target = storedTarget(text);
  return target.kind === 'uri' ? target.uri : stepUri((await revisionOf(ctx, target)).chainId, 1);
}

/** A target that has to be in the store. */
export function storedTarget(text: string): Exclude<Target, { kind: 'file' }> {
  const target = readTarget(text);
  if (target.kind !== 'file') return target;
  throw new KairosError(
    'INVALID_INPUT',
    `${JSON.stringify(text)} is neither a kairos://mem/ URI nor a slug`,
    {
      hint: `A file is stored first: ${hereCommand(['mint', 'FILE'])}.`,
    },
  );
}

/** Every revision of a stored protocol, unlisted ones first, then by number. */
export async function revisionsOf(
  ctx: OperationContext,
  target: Exclude<Target, { kind: 'file' }>,
): Promise<Revision[]> {
  const { chainId } = await revisionOf(ctx, target);
  return ctx.store.revisions(chainId);
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
