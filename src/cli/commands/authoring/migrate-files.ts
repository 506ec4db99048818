import { type MigrationDecision, migrateSource } from '../../../lint/rewrite/migrate-source.ts';
import type { FixedText } from '../../../lint/run.ts';
import type { Call } from '../../command.ts';
import type { MigrateOptions } from './options.ts';
import { carryOut, documentName, type Visited, visitProtocols } from './visit-protocols.ts';

/** What a migration did or would do, of files or of the store. */
export interface MigrateOutcome {
  /** Names of what differs from its migrated form. */
  changed: string[];
  written: string[];
  decisions: { path: string; decision: MigrationDecision }[];
  visited: Visited;
}

/** Migrates documents; writes them only with `--write`. */
export async function migrateFiles({
  args: [paths],
  options,
  io,
  output,
}: Call<[string[]], MigrateOptions>): Promise<MigrateOutcome> {
  const { write = false, diff = false, stdinFilename } = options;
  const changes: FixedText[] = [];
  const decisions: MigrateOutcome['decisions'] = [];
  const visited = await visitProtocols(paths, { stdinFilename }, io, async (document, parsed) => {
    const before = parsed.document.source;
    const { text: after, decisions: left } = await migrateSource(before);
    for (const decision of left) decisions.push({ path: documentName(document), decision });
    if (after !== before) changes.push({ document, before, after, gaveUp: null });
  });
  const written = carryOut(changes, visited, { write, diff: diff || !write }, output);
  return { changed: changes.map(({ document }) => documentName(document)), written, decisions, visited };
}
