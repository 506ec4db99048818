import { KairosError } from '../../../base/errors.ts';
import { migrateSource } from '../../../lint/rewrite/migrate-source.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { requireDocument } from '../../../operations/findings.ts';
import { update } from '../../../operations/update.ts';
import { loosened } from '../../../operations/weaken.ts';
import { isReservedChain, stepUri, toContent } from '../../../protocol/identity.ts';
import { renderChain } from '../../../protocol/render.ts';
import type { Revision } from '../../../store/port.ts';
import type { Call } from '../../command.ts';
import { withContext } from '../../context.ts';
import { unifiedDiff } from '../../views/diff.ts';
import type { MigrateOutcome } from './migrate-files.ts';
import type { MigrateOptions } from './options.ts';

type MigrateCall = Call<[string[]], MigrateOptions>;

/**
 * Migrates the protocols of the space, each as a new revision under the URIs and the slug that it has. Where a step would
 * demand less than before, nothing is written without `--allow-weaken`.
 */
export async function migrateStored(call: MigrateCall): Promise<MigrateOutcome> {
  return withContext(call, {}, async (ctx) => {
    const outcome: MigrateOutcome = {
      changed: [],
      written: [],
      decisions: [],
      visited: { failures: [], count: 0, prose: 0, ignored: 0, notices: [], stdin: null },
    };
    for (const { chainId, slug } of await ctx.store.listChains([ctx.caller.space])) {
      if (isReservedChain(chainId)) continue;
      try {
        const head = await ctx.store.head(chainId);
        if (head === null) continue;
        outcome.visited.count += 1;
        await migrateOne(ctx, call, head, outcome);
      } catch (error) {
        if (!(error instanceof KairosError)) throw error;
        outcome.visited.failures.push({ path: slug, reason: error.message });
      }
    }
    return outcome;
  });
}

async function migrateOne(
  ctx: OperationContext,
  { options, output }: MigrateCall,
  { chainId, content }: Revision,
  outcome: MigrateOutcome,
): Promise<void> {
  const { slug } = content;
  const before = renderChain(content);
  const { text: after, decisions } = await migrateSource(before);
  for (const decision of decisions) outcome.decisions.push({ path: slug, decision });
  if (after === before) return;
  const { document } = await requireDocument(after, slug);
  outcome.changed.push(slug);
  if (!output.json && (options.diff || !options.write)) output.document(unifiedDiff(slug, before, after));
  const weaker = loosened(content, toContent(document.chains[0]!));
  if (weaker !== null && !options.allowWeaken) {
    throw new KairosError('READ_ONLY', `not rewritten: ${weaker}; --allow-weaken permits it`);
  }
  if (!options.write) return;
  const { results } = await update(ctx, { uris: [stepUri(chainId, 1)], markdown_doc: [after] });
  const [result] = results;
  if (result?.status !== 'updated')
    throw new KairosError('STORE_UNAVAILABLE', result?.message ?? 'not written');
  outcome.written.push(slug);
}
