import type { Schemas } from '@qdrant/js-client-rest';
import type { Databank, Points } from './api.ts';
import { qdrantUnavailable } from './failures.ts';
import type { Location, Transport } from './transport.ts';

/** Raised when points are laid out differently; a build refuses what a newer one has made. */
const LAYOUT = 1;
/** The first that knows `insert_only` and weights in reciprocal rank fusion. */
const SERVER_MIN = [1, 17] as const;

/** The collection behind the alias. */
export interface Collection {
  /** Null until something was written. Never null for an unreachable server. */
  existing(): Promise<Points | null>;
  /** Creates it if it is missing; several processes may do so together. */
  ensured(): Promise<Points>;
}

/** Checks the server on first use: its version, and whether the collection belongs to kairos. */
export function openCollection(databank: Databank, location: Location): Collection {
  const { transport } = databank;
  const { alias } = location;
  let found: Points | null = null;
  let checked: Promise<void> | null = null;

  async function existing(): Promise<Points | null> {
    if (found !== null) return found;
    checked ??= checkVersion(transport);
    try {
      await checked;
    } catch (error) {
      checked = null;
      throw error;
    }
    const { exists } = await transport.ask((client) => client.collectionExists(alias));
    if (!exists) return null;
    checkOwn(transport, await transport.ask((client) => client.getCollection(alias)));
    found = databank.points(alias);
    return found;
  }

  return {
    existing,
    async ensured() {
      const there = await existing();
      if (there !== null) return there;
      await create(databank, location);
      const made = await existing();
      if (made !== null) return made;
      throw qdrantUnavailable(
        transport.place,
        'does not show the collection that was made',
        'Check its log.',
      );
    },
  };
}

async function checkVersion(transport: Transport): Promise<void> {
  const { title, version } = await transport.ask((client) => client.versionInfo());
  const [, major = 0, minor = 0] = (/^v?(\d+)\.(\d+)/.exec(String(version)) ?? []).map(Number);
  if (!String(title).includes('qdrant')) {
    throw qdrantUnavailable(transport.place, 'is not a Qdrant server', 'Check --store and QDRANT_URL.');
  }
  if (major > SERVER_MIN[0] || (major === SERVER_MIN[0] && minor >= SERVER_MIN[1])) return;
  throw qdrantUnavailable(
    transport.place,
    `runs Qdrant ${version}, which cannot do what is needed`,
    `Update the server to ${SERVER_MIN.join('.')} or later.`,
  );
}

function checkOwn(transport: Transport, info: Schemas['CollectionInfo']): void {
  const { kairos } = (info.config.metadata ?? {}) as { kairos?: unknown };
  if (kairos === LAYOUT) return;
  if (typeof kairos === 'number') {
    throw qdrantUnavailable(
      transport.place,
      `has layout ${kairos}, this kairos knows ${LAYOUT}`,
      'It was written by another version of kairos: use that one, or another collection.',
    );
  }
  throw qdrantUnavailable(
    transport.place,
    'is a collection of another program',
    'Name another collection behind the address; kairos changed nothing in this one.',
  );
}

/**
 * Creates collection and indexes, and the alias last, so that a visible alias is complete. Another process
 * may have done each step already, and then does the rest as well.
 */
async function create(databank: Databank, { alias }: Location): Promise<void> {
  const config = {
    vectors: {},
    sparse_vectors: { bm25: { modifier: 'idf' } },
    metadata: { kairos: LAYOUT },
  } satisfies Schemas['CreateCollection'];
  const name = await databank.make(`v${LAYOUT}`, config, INDEXES);
  const actions = [{ create_alias: { collection_name: name, alias_name: alias } }];
  await databank.transport.ask((client) => client.updateCollectionAliases({ actions }));
}

/** Every key that a filter or an order names. */
const INDEXES: Readonly<Record<string, Schemas['PayloadFieldSchema']>> = {
  kind: 'keyword',
  space: { type: 'keyword', is_tenant: true },
  version: 'integer',
  // Chains.
  live: 'bool',
  slug: 'keyword',
  steps: 'keyword',
  stems: 'keyword',
  head_stems: 'keyword',
  phrases: 'keyword',
  search_format: 'integer',
  // Runs.
  run_id: 'keyword',
  store_seq: 'integer',
  chain_id: 'keyword',
  actor: 'keyword',
  session: 'keyword',
  closed: 'bool',
  nonces: 'keyword',
  // Words.
  beginning: 'keyword',
  slips: 'keyword',
};
