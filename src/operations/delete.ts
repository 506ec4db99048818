import * as z from 'zod/mini';
import { hereCommand } from '../base/command-line.ts';
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
    const result = await removeOne(ctx, uri).catch((error: unknown) => errorText(error, ctx.redact));
    results.push(
      typeof result === 'string'
        ? { uri: ctx.redact(uri), status: 'error', message: result }
        : { uri, status: 'deleted', message: `${DELETED}${await holdsNote(ctx, result.chainId)}` },
    );
  }
  const failed = results.filter(({ status }) => status === 'error').length;
  return { results, total_deleted: results.length - failed, total_failed: failed };
}

const DELETED = 'The protocol is deleted. Its runs can still be verified.';

/** The hold list of a trusted protocol survives it, so that an agent can't remove it. */
async function holdsNote({ trust }: OperationContext, chainId: string): Promise<string> {
  const trusted = await trust.list().catch(() => []);
  const holding = trusted.find((record) => record.chainId === chainId && (record.holds?.length ?? 0) > 0);
  if (holding === undefined) return '';
  return ` Its holds still count, because the user trusts it. Only the user can remove them: ${hereCommand(['trust', '--revoke', holding.digest])}`;
}

/** Returns why not, or the deleted chain. */
async function removeOne(ctx: OperationContext, uri: string): Promise<string | { chainId: string }> {
  const { chainId, index } = await resolveUri(ctx, uri);
  const first = stepUri(chainId, 1);
  if (isReservedChain(chainId)) return 'READ_ONLY: this protocol is part of kairos and cannot be deleted.';
  if (index !== 1)
    return `This is step ${index} of the protocol ${first}. Nothing was deleted; name the protocol to delete it.`;
  return (await ctx.store.deleteChain(chainId))
    ? { chainId }
    : `NOT_FOUND: the protocol ${first} is already deleted.`;
}
