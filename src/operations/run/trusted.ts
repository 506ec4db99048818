import { isReservedChain } from '../../protocol/identity.ts';
import { isIntactContent } from '../../store/intact.ts';
import type { Revision } from '../../store/port.ts';
import type { OperationContext } from '../context.ts';

/** Trusted by the user, or shipped with this tool as it stands: whatever calls itself its author is not asked. */
export async function isTrusted(ctx: OperationContext, revision: Revision): Promise<boolean> {
  if (!isIntactContent(revision)) return false;
  if ((await ctx.trust.get(revision.digest)) !== null) return true;
  if (!isReservedChain(revision.chainId)) return false;
  return (await ctx.store.head(revision.chainId))?.digest === revision.digest;
}
