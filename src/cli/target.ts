import { KairosError } from '../base/errors.ts';
import { revisionBySlug } from '../operations/begin.ts';
import type { OperationContext } from '../operations/context.ts';
import { headOf } from '../operations/dump.ts';
import { resolveUri } from '../operations/run/locate.ts';
import { isSlug } from '../protocol/identity.ts';
import type { Revision } from '../store/port.ts';

/** What `FILE|URI|SLUG` names. A bare word of a-z, 0-9 and hyphens is a slug; a file of such a name is `./name`. */
export type Target =
  | { kind: 'file'; path: string }
  | { kind: 'uri'; uri: string }
  | { kind: 'slug'; slug: string };

/** Tells by its form alone what a target is, so that no file lying about changes what a word means. */
export function readTarget(text: string): Target {
  // A mistyped URI too: its error says what a URI looks like.
  if (/^kairos:/i.test(text)) return { kind: 'uri', uri: text };
  if (isSlug(text)) return { kind: 'slug', slug: text };
  return { kind: 'file', path: text };
}

/** The live revision that a URI (of any of its steps) or a slug names. */
export async function revisionOf(
  ctx: OperationContext,
  target: Exclude<Target, { kind: 'file' }>,
): Promise<Revision> {
  if (target.kind === 'slug') return revisionBySlug(ctx, target.slug);
  const { chainId } = await resolveUri(ctx, target.uri);
  return headOf(ctx, chainId, target.uri);
}

/** A target that has to be in the store. */
export function storedTarget(text: string): Exclude<Target, { kind: 'file' }> {
  const target = readTarget(text);
  if (target.kind !== 'file') return target;
  throw new KairosError(
    'INVALID_INPUT',
    `${JSON.stringify(text)} is neither a kairos://mem/ URI nor a slug`,
    {
      hint: 'A file is stored first: kairos mint FILE.',
    },
  );
}
