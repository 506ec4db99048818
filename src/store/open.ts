import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KairosError } from '../base/errors.ts';
import type { Store } from './port.ts';

export interface OpenOptions {
  /**
   * `sqlite:PATH`, a path, a `file:` URL, `:memory:`, or an address of a Qdrant server; null is `kairos.db` in the data folder.
   */
  location: string | null;
  /** The user's data folder. */
  dataDir: string;
  /** Never write to it. */
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
