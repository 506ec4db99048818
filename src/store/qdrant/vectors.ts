import { randomBytes } from 'node:crypto';
import type { Schemas } from '@qdrant/js-client-rest';
import { KairosError } from '../../base/errors.ts';
import { cosinesOf, type PackedVectors, packVectors } from '../../search/cosine.ts';
import type { Cosines } from '../../search/rank.ts';
import {
  type ChainToEmbed,
  type ChainVector,
  type HeadVectors,
  NEAREST,
  type QueryVectors,
  type VectorModel,
  type VectorModelState,
} from '../../search/vectors.ts';
import { noSuchModel, otherDimensions, requireComparable } from '../port.ts';
import type { Condition, Databank, Points } from './api.ts';
import { CHAIN_KEYS, readChainPoint, readJson, toState } from './chain-point.ts';
import { headOfState } from './chains.ts';
import { is, type Kind, ofKind, pointId, swap, untilWon, versionOf } from './ids.ts';

/**
 * A model in the store: its vectors have a separate collection, because the collection fixes their length.
 */
interface KnownModel extends VectorModel {
  inUse: boolean;
  collection: string;
}

/** A chain that is near, and the head that this was found of. */
export interface NearChain {
  cosines: Cosines;
  digest: string;
}

export async function fetchVectorModels(points: Points, databank: Databank): Promise<VectorModelState[]> {
  const known = await readModels(points);
  return Promise.all(
    known.map(async ({ collection, ...model }) => ({
      ...model,
      vectors: await databank.points(collection).count({}),
    })),
  );
}

export async function fetchVectorModelInUse(points: Points): Promise<VectorModel | null> {
  const known = (await readModels(points)).find(({ inUse }) => inUse);
  if (known === undefined) return null;
  const { model, dimensions, floor, ceiling } = known;
  return { model, dimensions, floor, ceiling };
}

/**
 * See `VectorStore.addVectorModel`. The collection is created before it is named, so that it exists for every
 * reader.
 */
export async function addVectorCollection(
  points: Points,
  databank: Databank,
  added: VectorModel,
): Promise<void> {
  let made: string | null = null;
  const used = await changeModels(points, async (known) => {
    const there = known.find(({ model }) => model === added.model);
    if (there === undefined) {
      made ??= await makeCollection(databank, added.dimensions);
      return [...known, { ...added, inUse: false, collection: made }];
    }
    if (there.dimensions !== added.dimensions) throw otherDimensions(there, added.dimensions);
    return known.map((one) => (one === there ? { ...one, floor: added.floor, ceiling: added.ceiling } : one));
  });
  if (made !== null && !used?.some(({ collection }) => collection === made)) await databank.drop(made);
}

export async function useVectorCollection(points: Points, wanted: string | null): Promise<boolean> {
  const changed = await changeModels(points, (known) => {
    if (wanted !== null && !known.some(({ model }) => model === wanted)) return null;
    return known.map((one) => ({ ...one, inUse: one.model === wanted }));
  });
  return changed !== null;
}

export async function dropVectorCollection(
  points: Points,
  databank: Databank,
  dropped: string,
): Promise<boolean> {
  let gone: KnownModel | undefined;
  const changed = await changeModels(points, (known) => {
    gone = known.find(({ model }) => model === dropped);
    return gone === undefined ? null : known.filter((one) => one !== gone);
  });
  if (changed === null || gone === undefined) return false;
  await databank.drop(gone.collection);
  return true;
}

/** See `VectorStore.chainsWithoutVector`. A vector of an older head doesn't count. */
export async function fetchChainsWithoutVector(
  points: Points,
  databank: Databank,
  model: string,
  limit: number,
  after = '',
): Promise<ChainToEmbed[]> {
  const known = (await readModels(points)).find((one) => one.model === model);
  const found: ChainToEmbed[] = [];
  const filter = ofKind('chain', is('live', true));
  for await (const page of points.pages(filter, CHAIN_KEYS, after === '' ? undefined : after)) {
    const states = page.filter(({ id }) => String(id) > after).map(toState);
    const vectors = await followedDigests(
      known && databank.points(known.collection),
      states.map(({ chainId }) => chainId),
    );
    for (const state of states) {
      if (vectors.get(state.chainId) === state.head?.summary.digest) continue;
      const revision = await headOfState(points, state);
      if (revision === null) continue;
      const { chainId, digest, content } = revision;
      found.push({ chainId, digest, content });
      if (found.length === limit) return found;
    }
  }
  return found;
}

/** See `VectorStore.putVectors`. */
export async function putVectorPoints(
  points: Points,
  databank: Databank,
  model: string,
  vectors: readonly ChainVector[],
): Promise<number> {
  const known = (await readModels(points)).find((one) => one.model === model);
  if (known === undefined) throw noSuchModel(model);
  for (const vector of vectors.flatMap((each) => each.vectors)) requireComparable(known, vector);
  const stored = await points.get(
    vectors.map(({ chainId }) => chainId),
    CHAIN_KEYS,
  );
  const heads = new Map(stored.map(toState).map((state) => [state.chainId, state]));
  const kept = vectors.filter(({ chainId, digest }) => heads.get(chainId)?.head?.summary.digest === digest);
  await databank.points(known.collection).put(
    kept.map(({ chainId, digest, vectors: texts }) => ({
      id: chainId,
      // The last one is that of the whole chain.
      vector: { dense: texts.slice(0, Math.max(1, texts.length - 1)).map((vector) => [...vector]) },
      payload: { space: heads.get(chainId)?.space, digest, packed: toText(packVectors(texts)) },
    })),
  );
  return kept.length;
}

/** Vectors of a new head. The head is stored already, so a failure here only leaves it without vectors. */
export async function putHeadVectors(
  points: Points,
  databank: Databank,
  { chainId, digest }: Pick<ChainVector, 'chainId' | 'digest'>,
  { model, vectors }: HeadVectors,
): Promise<void> {
  try {
    await putVectorPoints(points, databank, model, [{ chainId, digest, vectors }]);
  } catch (error) {
    if (!(error instanceof KairosError)) throw error;
  }
}

/**
 * Removes the vectors of a chain whose head has changed. They would not be read any more; one left by a crash
 * only counts among the vectors of its model.
 */
export async function forgetVectors(points: Points, databank: Databank, chainId: string): Promise<void> {
  const { head } = await readChainPoint(points, chainId);
  for (const { collection } of await readModels(points)) {
    const vectors = databank.points(collection);
    const digest = (await followedDigests(vectors, [chainId])).get(chainId);
    if (digest !== undefined && digest !== head?.summary.digest) await vectors.remove([chainId]);
  }
}

/** Further candidates. Qdrant compares floats and kairos bytes, so the order of nearly equal chains can differ. */
const MARGIN = 8;

/**
 * The chains of the spaces that are nearest to each stretch by cosine, above the model's floor, `NEAREST` at most. Null
 * when the store has not that model.
 */
export async function queryNearestChains(
  points: Points,
  databank: Databank,
  { model, stretches }: QueryVectors,
  spaces: Condition,
): Promise<Map<string, NearChain>[] | null> {
  const known = (await readModels(points)).find((one) => one.model === model.model);
  if (known === undefined) return null;
  for (const vector of stretches.flat()) {
    if (vector.length !== known.dimensions) throw otherDimensions(known, vector.length);
  }
  const lists = await databank
    .points(known.collection)
    .search(
      stretches.map(([whole = new Float32Array(known.dimensions)]) => ({
        query: [[...whole]],
        using: 'dense',
        filter: { must: [spaces] },
        limit: NEAREST + MARGIN,
        params: { hnsw_ef: HNSW_EF },
        with_payload: ['digest', 'packed'],
      })),
    );
  return lists.map((hits, at) => {
    const query = packVectors(stretches[at] ?? []);
    const near = hits.map(({ id, payload }): [string, NearChain] => {
      const bytes = toBytes(String(payload?.packed));
      const rows = { bytes, first: 0, count: bytes.length / known.dimensions };
      return [String(id), { cosines: cosinesOf(rows, query), digest: String(payload?.digest) }];
    });
    const above = near.filter(([, { cosines }]) => cosines.best > known.floor);
    return new Map(above.sort(([, a], [, b]) => b.cosines.best - a.cosines.best).slice(0, NEAREST));
  });
}

/** Encodes the bytes that every store computes with. The server compares a separate copy. */
function toText({ bytes }: PackedVectors): string {
  return Buffer.from(bytes.buffer).toString('base64');
}

function toBytes(text: string): Int8Array {
  return Int8Array.from(Buffer.from(text, 'base64'));
}

/** How many candidates the server examines in its graph. With so many, results are close to the exact scan of SQLite. */
const HNSW_EF = 256;

/** Of which head each chain's vector was made. */
async function followedDigests(
  vectors: Points | undefined,
  chainIds: string[],
): Promise<Map<string, string>> {
  const stored = vectors === undefined ? [] : await vectors.get(chainIds, ['digest']);
  return new Map(stored.map(({ id, payload }) => [String(id), String(payload?.digest)]));
}

async function makeCollection(databank: Databank, dimensions: number): Promise<string> {
  const name = `dense_${randomBytes(6).toString('hex')}`;
  return databank.make(
    name,
    {
      vectors: {
        dense: { size: dimensions, distance: 'Cosine', multivector_config: { comparator: 'max_sim' } },
      },
    },
    { space: { type: 'keyword', is_tenant: true } } satisfies Record<string, Schemas['PayloadFieldSchema']>,
  );
}

const MODELS_ID = pointId('models');

async function readModels(points: Points): Promise<KnownModel[]> {
  const [stored] = await points.get([MODELS_ID], ['state']);
  return stored === undefined ? [] : (readJson(stored.payload?.state, MODELS_ID) as KnownModel[]);
}

/** Writes the models that a change returns, by name. Null: writes nothing. */
function changeModels(
  points: Points,
  change: (known: KnownModel[]) => Promise<KnownModel[] | null> | KnownModel[] | null,
): Promise<KnownModel[] | null> {
  const kind: Kind = 'models';
  return untilWon<{ models: KnownModel[] | null }>(points, async () => {
    const [stored] = await points.get([MODELS_ID], true);
    const known = stored === undefined ? [] : (readJson(stored.payload?.state, MODELS_ID) as KnownModel[]);
    const models = await change(known);
    if (models === null) return { models };
    const state = models.toSorted((a, b) => (a.model < b.model ? -1 : 1));
    const point = { id: MODELS_ID, vector: {}, payload: { kind, state: JSON.stringify(state) } };
    return (await swap(points, point, versionOf(stored?.payload))) ? { models: state } : null;
  }).then(({ models }) => models);
}
