import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hereCommand, programName } from '../../base/command-line.ts';
import { embeddingSettings, lazyEmbedders } from '../../host/settings/model-settings.ts';
import { loadUserSettings, storeLocation } from '../../host/settings/user-settings.ts';
import type { EmbeddingSettings } from '../../search/embedding/embedder.ts';
import type { VectorModelState } from '../../search/vectors.ts';
import { openStore } from '../../store/open.ts';
import { vectorModelName } from '../index-chains.ts';
import { broken, type DoctorCheck, type DoctorFinding, type DoctorInput, ok, warning } from './runtime.ts';

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
