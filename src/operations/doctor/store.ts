import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, hereCommand, programName } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import { embeddingSettings, lazyEmbedders } from '../../host/settings/model-settings.ts';
import { loadUserSettings, storeLocation } from '../../host/settings/user-settings.ts';
import type { EmbeddingSettings } from '../../search/embedding/embedder.ts';
import type { VectorModelState } from '../../search/vectors.ts';
import { requireIntactContent } from '../../store/intact.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/port.ts';
import { loadSqliteDriver } from '../../store/sqlite/driver.ts';
import { MEMORY, openDatabase } from '../../store/sqlite/open.ts';
import { vectorModelName } from '../index-chains.ts';
import { broken, type DoctorCheck, type DoctorFinding, type DoctorInput, ok, warning } from './runtime.ts';

/** Where protocols and runs are kept, whether the file is intact, and who can access it. */
export const checkStore: DoctorCheck = async ({ io, folders, store }) => {
  try {
    // The user's configuration has its own check.
    const settings = await loadUserSettings(folders).catch(() => ({}));
    const location = storeLocation(store, io.env, settings, io.cwd) ?? join(folders.data, 'kairos.db');
    const file = fileOf(location);
    if (file === MEMORY) return [ok('store', 'in memory, lost when the command ends')];
    if (file === null)
      return [await serverFinding(location, folders.data, io.env.QDRANT_API_KEY || undefined)];
    return existsSync(file) ? [await fileFinding(file), ...permissions(file)] : [absentFinding(file)];
  } catch (error) {
    return [broken('store', error)];
  }
};

/** Null for a store that isn't a file. */
function fileOf(location: string): string | null {
  const path = location.replace(/^sqlite:/, '');
  if (path === MEMORY) return MEMORY;
  if (path.startsWith('file:')) return fileURLToPath(path);
  return /^[a-z][a-z0-9+.-]+:/i.test(path) ? null : resolve(path);
}

async function serverFinding(
  location: string,
  dataDir: string,
  apiKey: string | undefined,
): Promise<DoctorFinding> {
  const shown = location.replace(/\/\/[^@/]*@/, '//');
  const store = await openStore({ location, dataDir, apiKey, readOnly: true });
  try {
    const spaces = await store.listSpaces();
    return ok('store', `${shown} answers, ${count(spaces)}`);
  } finally {
    await store.close();
  }
}

async function fileFinding(file: string): Promise<DoctorFinding> {
  const { connection } = await openDatabase(await loadSqliteDriver(), file, { readOnly: true });
  try {
    const faults = connection
      .prepare('PRAGMA quick_check(3)')
      .all()
      .map((row) => String(Object.values(row)[0]));
    if (faults.join() !== 'ok') {
      return {
        name: 'store',
        health: 'broken',
        detail: `${file} is damaged: ${faults.join('; ')}`,
        hint: 'Keep a copy of it, and restore it from a backup.',
      };
    }
  } finally {
    connection.close();
  }
  const store = await openStore({ location: file, dataDir: dirname(file), readOnly: true });
  try {
    const kilobytes = Math.ceil(statSync(file).size / 1024);
    for await (const { revisions } of store.exportChains()) revisions.forEach(requireIntactContent);
    for (const { name } of await store.listSpaces()) await requireNumbered(store, name, file);
    return ok('store', `${file}, intact, ${kilobytes} KiB, ${count(await store.listSpaces())}`);
  } finally {
    await store.close();
  }
}

/** Throws STORE_DAMAGED for an entry that is kept under another number than its own. */
async function requireNumbered(store: Store, space: string, file: string): Promise<void> {
  const verify = commandLine(['--store', file, '--space', space]);
  for (const { runId } of await store.findRuns({ spaces: [space] })) {
    const [entry] = await store.misnumbered(runId);
    if (entry === undefined) continue;
    throw new KairosError(
      'STORE_DAMAGED',
      `entry ${entry} of run ${runId} is kept under another number than its own`,
      { hint: `See what else was changed with: ${verify(['verify', runId])}` },
    );
  }
}

function count(spaces: readonly { chainCount: number }[]): string {
  const chains = spaces.reduce((sum, { chainCount }) => sum + chainCount, 0);
  return `${chains} ${chains === 1 ? 'protocol' : 'protocols'} in ${spaces.length} ${spaces.length === 1 ? 'space' : 'spaces'}`;
}

/** A missing store needs a folder in which it can be created. */
function absentFinding(file: string): DoctorFinding {
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    return ok('store', `${file}, created when it is first needed`);
  } catch {
    return {
      name: 'store',
      health: 'broken',
      detail: `${file} does not exist and cannot be created: you may not write to ${folder}`,
      hint: 'Choose another place with --store or KAIROS_STORE.',
    };
  }
}

function permissions(file: string): DoctorFinding[] {
  const mode = statSync(file).mode & 0o777;
  const findings: DoctorFinding[] = [];
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const text = `other users have access to ${file} (mode ${mode.toString(8).padStart(4, '0')})`;
    findings.push(warning('store permissions', text, `To restrict access: chmod 600 ${file}`));
  }
  try {
    accessSync(file, constants.W_OK);
  } catch {
    findings.push(
      warning('store permissions', `${file} can only be read`, 'Runs and protocols cannot be kept in it.'),
    );
  }
  return findings;
}

const WORDS = 'titles, slugs and triggers first, then words (BM25)';

/** How search works here: words, the provider and model if any, and how many protocols have a vector. */
export const checkSearch: DoctorCheck = async (surroundings) => {
  try {
    // The user's configuration has its own check.
    const settings = await loadUserSettings(surroundings.folders).catch(() => ({}));
    const embedding = embeddingSettings(settings, surroundings.io.env);
    const index = await indexOf(surroundings);
    return [searchFinding(embedding, index), ...(await providerFindings(embedding, index))];
  } catch (error) {
    return [broken('search', error)];
  }
};

interface Index {
  models: VectorModelState[];
  total: number;
}

function searchFinding({ provider }: EmbeddingSettings, { models, total }: Index): DoctorFinding {
  const used = models.find(({ inUse }) => inUse);
  if (provider === 'none') return ok('search', `${WORDS}; no embedding provider`);
  if (used === undefined && total === 0) {
    return ok('search', `${WORDS}, and by meaning as soon as there is a protocol`);
  }
  if (used === undefined) {
    return warning(
      'search',
      `${WORDS}; no vectors yet`,
      `Run ${hereCommand(['index'])}, or let ${programName()} serve do it.`,
    );
  }
  const text = `${WORDS}, and meaning by ${used.model}: ${used.vectors} of ${total} protocols indexed`;
  return used.vectors < total
    ? warning('search', text, `Run ${hereCommand(['index'])} to add the others.`)
    : ok('search', text);
}

/** Whether the configured provider responds, and whether its model is the one in use. */
async function providerFindings(
  settings: EmbeddingSettings,
  { models, total }: Index,
): Promise<DoctorFinding[]> {
  const embedder = await lazyEmbedders(settings)?.configured();
  if (embedder === undefined || embedder === null) return [];
  const model = vectorModelName(embedder);
  const known = models.find((each) => each.model === model);
  const made = `${known?.vectors ?? 0} of ${total} protocols`;
  const state = known?.inUse ? 'in use' : `not in use before all are indexed: ${made}`;
  try {
    const [vector] = await embedder.embed(['ship the release'], 'query', AbortSignal.timeout(10_000));
    return [ok('embedding', `${embedder.name} answers, ${vector?.length ?? 0} dimensions, ${state}`)];
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return [warning('embedding', message, hint ?? 'Search continues with words alone.')];
  }
}

/** A check creates no store. */
async function indexOf({ io, folders, store: flag }: DoctorInput): Promise<Index> {
  const settings = await loadUserSettings(folders).catch(() => ({}));
  const location = storeLocation(flag, io.env, settings, io.cwd);
  const file = (location ?? join(folders.data, 'kairos.db')).replace(/^sqlite:/, '');
  if (!/^[a-z][a-z0-9+.-]+:/i.test(file) && !existsSync(file)) return { models: [], total: 0 };
  const store = await openStore({
    location,
    dataDir: folders.data,
    apiKey: io.env.QDRANT_API_KEY || undefined,
    readOnly: true,
  });
  try {
    const spaces = await store.listSpaces();
    return {
      models: await store.vectorModels(),
      total: spaces.reduce((sum, { chainCount }) => sum + chainCount, 0),
    };
  } finally {
    await store.close();
  }
}
