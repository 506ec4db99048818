import { KairosError } from '../../base/errors.ts';
import type { OperationContext } from '../../operations/context.ts';
import type { Revision } from '../../store/port.ts';
import { revisionOf, type Target } from '../target.ts';

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
    hint: 'Give a number, or at least 8 characters of a digest, as kairos log shows them.',
  });
}
