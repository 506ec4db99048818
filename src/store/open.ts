import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KairosError } from '../base/errors.ts';
import { packageFile } from '../base/package-root.ts';
import { digest, RESERVED_CREATE_ID, RESERVED_REFINE_ID, stepUuid, toContent } from '../protocol/identity.ts';
import type { Revision, Store } from './port.ts';

const RESERVED = [
  { chainId: RESERVED_CREATE_ID, slug: 'create-a-protocol' },
  { chainId: RESERVED_REFINE_ID, slug: 'refine-a-search' },
] as const;

/** Lays the two protocols that are part of the tool over any store: always there, in every space, read-only. */
export function withReserved(store: Store): Store {
  let loaded: Promise<Revision[]> | null = null;
  const reserved = () => {
    loaded ??= Promise.all(RESERVED.map(load));
    return loaded;
  };
  const byId = async (chainId: string) =>
    isReserved(chainId)
      ? ((await reserved()).find((revision) => revision.chainId === chainId) ?? null)
      : null;

  return {
    ...store,
    head: async (chainId) => (await byId(chainId)) ?? store.head(chainId),
    headBySlug: async (space, slug) =>
      isReservedSlug(slug)
        ? (await reserved()).find(({ content }) => content.slug === slug)!
        : store.headBySlug(space, slug),
    revisionByDigest: async (chainId, hash) => {
      const revision = await byId(chainId);
      // A run of an older version of the tool may be pinned to words that this one no longer ships.
      return revision?.digest === hash ? revision : store.revisionByDigest(chainId, hash);
    },
    revisions: async (chainId) => {
      const revision = await byId(chainId);
      return revision === null ? store.revisions(chainId) : [revision];
    },
    resolveStep: async (uuid) => (await store.resolveStep(uuid)) ?? resolve(uuid, await reserved()),
    putRevision: async (revision, expected, vectors) => {
      if (revision.listed && isReservedSlug(revision.content.slug)) throw readOnly(revision.content.slug);
      return store.putRevision(revision, expected, vectors);
    },
    deleteChain: async (chainId) => {
      const revision = await byId(chainId);
      if (revision !== null) throw readOnly(revision.content.slug);
      return store.deleteChain(chainId);
    },
    restoreChain: async (chain) => {
      const revision = await byId(chain.chainId);
      if (revision !== null && chain.head !== null) throw readOnly(revision.content.slug);
      const clash = chain.revisions.find(({ content }) => isReservedSlug(content.slug));
      if (chain.head !== null && clash !== undefined) throw readOnly(clash.content.slug);
      return store.restoreChain(chain);
    },
    rate: async (chainId, hash, outcome, bonus) => {
      if (!isReserved(chainId)) await store.rate(chainId, hash, outcome, bonus);
    },
  };
}

function isReserved(chainId: string): boolean {
  return RESERVED.some((reserved) => reserved.chainId === chainId);
}

function isReservedSlug(slug: string): boolean {
  return RESERVED.some((reserved) => reserved.slug === slug);
}

async function resolve(
  uuid: string,
  revisions: Revision[],
): Promise<{ chainId: string; index: number } | null> {
  for (const { chainId, content } of revisions) {
    const at = content.steps.findIndex((_, index) => stepUuid(chainId, index + 1) === uuid);
    if (at !== -1) return { chainId, index: at + 1 };
  }
  return null;
}

async function load({ chainId, slug }: (typeof RESERVED)[number]): Promise<Revision> {
  const file = `protocols/reserved/${slug}.md`;
  // Most calls never look at these two, and must not wait for the parser.
  const { parseProtocol } = await import('../protocol/parse.ts');
  const source = await readFile(packageFile(file), 'utf8');
  const { document, messages } = await parseProtocol(source, { path: file });
  const chain = document.chains[0];
  const error = messages.find(({ severity }) => severity === 'error');
  if (chain?.slug !== slug || error !== undefined) {
    throw new KairosError(
      'INTERNAL',
      `the shipped protocol ${file} cannot be read (${error?.code ?? 'no chain'})`,
      { hint: 'Install kairos again.' },
    );
  }
  const content = toContent(chain);
  return {
    digest: digest(content),
    chainId,
    space: 'kairos',
    number: 1,
    content,
    author: 'kairos',
    llmModelId: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    weakened: null,
  };
}

function readOnly(slug: string): KairosError {
  return new KairosError('READ_ONLY', `${slug} is part of kairos and cannot be changed`, {
    hint: 'Mint your own under another slug.',
  });
}

export interface OpenOptions {
  /**
   * `sqlite:PATH`, a path, a `file:` URL, `:memory:`, or an address of a Qdrant server; null is `kairos.db` in the data folder.
   */
  location: string | null;
  /** The user's data folder. */
  dataDir: string;
  /** Open it for reading only. */
  readOnly?: boolean;
  /** Create no file: a missing one is an empty store in memory. */
  missingIsEmpty?: boolean;
  /** For a Qdrant server. */
  apiKey?: string | undefined;
  /** Called with what a person should know about the store, one sentence each. */
  warn?: (message: string) => void;
}

/** Opens the store that a location names. Throws INVALID_INPUT for an unknown kind, STORE_UNAVAILABLE otherwise. */
export async function openStore({ location, dataDir, ...options }: OpenOptions): Promise<Store> {
  const place = location ?? join(dataDir, 'kairos.db');
  // One letter is a drive of Windows.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(place)?.[1]?.toLowerCase() ?? 'path';
  const open = KINDS[scheme];
  if (open !== undefined) return open(place, options);
  throw new KairosError('INVALID_INPUT', `unknown kind of store: ${scheme}`, {
    hint: 'Give a file path, sqlite:PATH, or qdrant://HOST:PORT/COLLECTION.',
  });
}

type Opener = (
  place: string,
  options: Pick<OpenOptions, 'readOnly' | 'missingIsEmpty' | 'apiKey' | 'warn'>,
) => Promise<Store>;

const sqlite: Opener = async (path, { missingIsEmpty = false, apiKey: _, ...options }) => {
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(missingIsEmpty && !existsSync(path) ? ':memory:' : path, options);
};

const qdrant: Opener = async (address, options) => {
  const { openQdrantStore } = await import('./qdrant/store.ts');
  return openQdrantStore(address, options);
};

/** Kinds of stores by scheme: a new one is a line here. */
const KINDS: Readonly<Record<string, Opener>> = {
  path: sqlite,
  sqlite: (place, options) => sqlite(place.slice('sqlite:'.length), options),
  file: (place, options) => sqlite(fileURLToPath(place), options),
  qdrant,
  'qdrant+http': qdrant,
  'qdrant+https': qdrant,
};
