import { chainId, digest, isReservedChain, toContent } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { Revision } from '../../store/port.ts';
import type { OperationContext } from '../context.ts';
import { requireDocument } from '../findings.ts';
import { loosened } from '../weaken.ts';
import { type ChainOutcome, emptyReport, type MoveOptions, type MoveReport } from './move.ts';
import { changedMeanwhile, conflict } from './record.ts';

/** A markdown protocol; read again each time, so that none stays in memory. */
export interface MarkdownSource {
  name: string;
  read: () => string;
}

/**
 * Imports the chains of markdown documents into the caller's space. All documents are read and compared with
 * the store before the first is written; existing content stays unchanged. Throws what mint throws for an
 * invalid document, and IMPORT_CONFLICT for slugs that exist here or twice among the documents.
 */
export async function importDocuments(
  ctx: OperationContext,
  documents: readonly MarkdownSource[],
  { onConflict, dryRun, onProgress }: MoveOptions,
): Promise<MoveReport> {
  const planned = emptyReport();
  const owners = new Map<string, string>();
  const refusals: string[] = [];
  for (const [at, document] of documents.entries()) {
    for (const content of await chainsOf(document)) {
      const place = `${document.name}: ${content.slug}`;
      const owner = owners.get(content.slug);
      owners.set(content.slug, document.name);
      if (owner !== undefined) refusals.push(`${place} is also the slug of a protocol in ${owner}`);
      const held = await ctx.store.headBySlug(ctx.caller.space, content.slug);
      const outcome = outcomeOf(held, content, onConflict);
      if (outcome === null) refusals.push(`${place} has other content here`);
      else if (outcome === 'replaced' && isReservedChain(held?.chainId ?? ''))
        refusals.push(`${place} is part of kairos and cannot be replaced`);
      else planned.chains[outcome] += 1;
    }
    onProgress?.('checking', at + 1);
  }
  if (refusals.length > 0) throw conflict(refusals, refusals.length);
  if (dryRun) return planned;
  const report = emptyReport();
  for (const [at, document] of documents.entries()) {
    for (const content of await chainsOf(document)) {
      report.chains[await store(ctx, content, onConflict, document.name)] += 1;
    }
    onProgress?.('writing', at + 1);
  }
  return report;
}

async function chainsOf({ name, read }: MarkdownSource): Promise<ChainContent[]> {
  const { document } = await requireDocument(read(), name);
  return document.chains.map(toContent);
}

function outcomeOf(
  held: Revision | null,
  content: ChainContent,
  onConflict: MoveOptions['onConflict'],
): ChainOutcome | null {
  if (held === null) return 'stored';
  if (held.digest === digest(content)) return 'unchanged';
  return ({ fail: null, skip: 'skipped', replace: 'replaced' } as const)[onConflict];
}

async function store(
  ctx: OperationContext,
  content: ChainContent,
  onConflict: MoveOptions['onConflict'],
  name: string,
): Promise<ChainOutcome> {
  const { space, actor } = ctx.caller;
  for (;;) {
    const held = await ctx.store.headBySlug(space, content.slug);
    const outcome = outcomeOf(held, content, onConflict);
    if (outcome === null) throw changedMeanwhile(`${name}: ${content.slug} has other content here`);
    if (outcome === 'unchanged' || outcome === 'skipped') return outcome;
    const stored = await ctx.store.putRevision(
      {
        digest: digest(content),
        chainId: held?.chainId ?? chainId(space, content.slug),
        space,
        content,
        author: actor,
        llmModelId: null,
        createdAt: new Date(ctx.clock()).toISOString(),
        weakened: held === null ? null : loosened(held.content, content),
        listed: true,
      },
      held?.digest ?? null,
    );
    if (stored !== 'conflict') return outcome;
  }
}
