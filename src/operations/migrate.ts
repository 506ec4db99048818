import { KairosError } from '../base/errors.ts';
import type { SourceInput } from '../host/files/read-source.ts';
import { formatSource } from '../lint/rewrite/format-source.ts';
import { type MigrationDecision, migrateSource } from '../lint/rewrite/migrate-source.ts';
import type { FixedText } from '../lint/run.ts';
import { isReservedChain, stepUri, toContent } from '../protocol/identity.ts';
import type { ParseResult } from '../protocol/model.ts';
import { describeProblem } from '../protocol/problems.ts';
import { renderChain } from '../protocol/render.ts';
import type { Revision } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { requireDocument } from './findings.ts';
import { documentName, type Visited, visitProtocols } from './lint/visit-protocols.ts';
import { update } from './update.ts';
import { loosened } from './weaken.ts';

/** A place that a person has to decide about, in one document. */
export interface PlacedDecision {
  path: string;
  decision: MigrationDecision;
}

/** Migrates the protocols that the paths name. Nothing is written. */
export async function migrateFiles(
  paths: readonly string[],
  options: { stdinFilename?: string | undefined },
  input: SourceInput,
): Promise<{ changes: FixedText[]; decisions: PlacedDecision[]; visited: Visited }> {
  const changes: FixedText[] = [];
  const decisions: PlacedDecision[] = [];
  const visited = await visitProtocols(paths, options, input, async (document, parsed) => {
    const before = parsed.document.source;
    const { text: after, decisions: left } = await migrateSource(before);
    for (const decision of left) decisions.push({ path: documentName(document), decision });
    if (after !== before) changes.push({ document, before, after, gaveUp: null });
  });
  return { changes, decisions, visited };
}

/** What the migration of a store did or would do. */
interface StoreMigration {
  /** What differs from its migrated form. */
  changes: { document: { name: string }; before: string; after: string }[];
  /** Slugs of the protocols that have a new revision. */
  written: string[];
  decisions: PlacedDecision[];
  visited: Visited;
}

interface StoreMigrationOptions {
  write: boolean;
  allowWeaken: boolean;
}

/**
 * Migrates the protocols of the space, each as a new revision under its URIs and slug. Where a step would demand less than
 * before, nothing is written without `allowWeaken`.
 */
export async function migrateStored(
  ctx: OperationContext,
  options: StoreMigrationOptions,
): Promise<StoreMigration> {
  const outcome: StoreMigration = {
    changes: [],
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
      await migrateOne(ctx, options, head, outcome);
    } catch (error) {
      if (!(error instanceof KairosError)) throw error;
      outcome.visited.failures.push({ path: slug, reason: error.message });
    }
  }
  return outcome;
}

async function migrateOne(
  ctx: OperationContext,
  { write, allowWeaken }: StoreMigrationOptions,
  { chainId, content }: Revision,
  outcome: StoreMigration,
): Promise<void> {
  const { slug } = content;
  const before = renderChain(content);
  const { text: after, decisions } = await migrateSource(before);
  for (const decision of decisions) outcome.decisions.push({ path: slug, decision });
  if (after === before) return;
  const { document } = await requireDocument(after, slug);
  outcome.changes.push({ document: { name: slug }, before, after });
  const weaker = loosened(content, toContent(document.chains[0]!));
  if (weaker !== null && !allowWeaken) {
    throw new KairosError('READ_ONLY', `not rewritten: ${weaker}`, {
      hint: 'Permit it with --allow-weaken.',
    });
  }
  if (!write) return;
  const { results } = await update(ctx, { uris: [stepUri(chainId, 1)], markdown_doc: [after] });
  const [result] = results;
  if (result?.status !== 'updated')
    throw new KairosError('STORE_UNAVAILABLE', result?.message ?? 'not written', {
      hint: 'Read the protocol again, and run the command again.',
    });
  outcome.written.push(slug);
}

/** Returns the formatted protocols of the paths, and writes nothing. A document with errors is a failure and isn't formatted. */
export async function formatProtocols(
  paths: readonly string[],
  options: { stdinFilename?: string | undefined },
  input: SourceInput,
): Promise<{ changes: FixedText[]; visited: Visited }> {
  const changes: FixedText[] = [];
  const visited = await visitProtocols(paths, options, input, async (document, parsed) => {
    refuseErrors(parsed);
    const before = parsed.document.source;
    const after = await formatSource(parsed);
    if (after !== before) changes.push({ document, before, after, gaveUp: null });
  });
  return { changes, visited };
}

/** A formatter must not touch what the parser can't read. */
function refuseErrors({ messages }: ParseResult): void {
  const errors = messages.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const lines = errors.map((problem) => {
    const { line, column } = problem.place.start;
    return `\n  ${line}:${column}  ${describeProblem(problem).reason} (${problem.code})`;
  });
  throw new KairosError('PROTOCOL_INVALID', `not formatted:${lines.join('')}`, {
    hint: 'Correct the document first.',
  });
}
