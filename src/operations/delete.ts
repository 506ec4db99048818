import * as z from 'zod/mini';
import { isReservedChain, stepUri } from '../protocol/identity.ts';
import type { OperationContext } from './context.ts';
import { errorText, parseInput, requireWritable } from './input.ts';
import { resolveUri } from './run/locate.ts';

export const deleteInput = z.strictObject({ uris: z.array(z.string()).check(z.minLength(1)) });
export const deleteOutput = z.object({
  results: z.array(z.object({ uri: z.string(), status: z.enum(['deleted', 'error']), message: z.string() })),
  total_deleted: z.int(),
  total_failed: z.int(),
});
export type DeleteInput = z.input<typeof deleteInput>;
export type DeleteOutput = z.infer<typeof deleteOutput>;
/**
 * `kairos_delete`: unlists chains. Their revisions and runs stay, so that every ledger can still be verified.
 */
export async function deleteChains(ctx: OperationContext, raw: DeleteInput): Promise<DeleteOutput> {
  requireWritable(ctx);
  const { uris } = parseInput(deleteInput, raw);
  const results: DeleteOutput['results'] = [];
  for (const uri of uris) {
    const refusal = await removeOne(ctx, uri).catch((error: unknown) => errorText(error, ctx.redact));
    results.push(
      refusal === null
        ? { uri, status: 'deleted', message: 'The protocol is no longer listed. Its runs stay verifiable.' }
        : { uri: ctx.redact(uri), status: 'error', message: refusal },
    );
  }
  const failed = results.filter(({ status }) => status === 'error').length;
  return { results, total_deleted: results.length - failed, total_failed: failed };
}

async function removeOne(ctx: OperationContext, uri: string): Promise<string | null> {
  const { chainId, index } = await resolveUri(ctx, uri);
  const first = stepUri(chainId, 1);
  if (isReservedChain(chainId)) return 'READ_ONLY: this protocol is part of kairos and cannot be deleted.';
  if (index !== 1)
    return `This is step ${index} of the protocol ${first}. Nothing was deleted; name the protocol to delete it.`;
  return (await ctx.store.deleteChain(chainId))
    ? null
    : `NOT_FOUND: the protocol ${first} is already deleted.`;
}
