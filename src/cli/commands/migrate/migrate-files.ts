import type { Decision } from '../../../lint/rewrite/decision.ts';
import { migrateSource } from '../../../lint/rewrite/migrate-source.ts';
import type { Change } from '../../../lint/run.ts';
import type { Call } from '../../command.ts';
import { carryOut } from '../authoring/rewrites.ts';
import { nameOf, type Visited, visitProtocols } from '../authoring/visit-protocols.ts';
import type { MigrateOptions } from './options.ts';

/** What a migration did or would do, of files or of the store. */
export interface Outcome {
  /** Names of what differs from its migrated form. */
  changed: string[];
  written: string[];
  decisions: { path: string; decision: Decision }[];
  visited: Visited;
}

/** Migrates documents; writes them only with `--write`. */
export async function migrateFiles({
  args: [paths],
  options,
  io,
  output,
}: Call<[string[]], MigrateOptions>): Promise<Outcome> {
  const { write = false, diff = false, stdinFilename } = options;
  const changes: Change[] = [];
  const decisions: Outcome['decisions'] = [];
  const visited = await visitProtocols(paths, { stdinFilename }, io, async (document, parsed) => {
    const before = parsed.document.source;
    const { text: after, decisions: left } = await migrateSource(before);
    for (const decision of left) decisions.push({ path: nameOf(document), decision });
    if (after !== before) changes.push({ document, before, after, gaveUp: null });
  });
  const written = carryOut(changes, visited, { write, diff: diff || !write }, output);
  return { changed: changes.map(({ document }) => nameOf(document)), written, decisions, visited };
}
