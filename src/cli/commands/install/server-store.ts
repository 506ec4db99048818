import { join } from 'node:path';
import { type Environment, userFolders } from '../../../host/files/paths.ts';
import { loadUserSettings } from '../../../host/settings/user-settings.ts';
import type { CliIo } from '../../io.ts';
import { storeLocation } from '../../store-location.ts';

/** Variables that the server reads, and the option that goes before each. */
const READ = {
  KAIROS_STORE: 'store',
  QDRANT_URL: 'store',
  KAIROS_SPACE: 'space',
  KAIROS_DATA_DIR: null,
  KAIROS_CONFIG_DIR: null,
} as const;
type Variable = keyof typeof READ;
const VARIABLES = Object.keys(READ) as Variable[];

export interface ServerStore {
  /** Null: of whoever starts the server. */
  store: string | null;
  /** Variables that are set here and not in the entry, though they would have a say. */
  left_out: Variable[];
}

/** The store that an installed server opens: what its options say, else the variables of its entry, else the usual one. */
export function serverStore(
  env: Environment,
  {
    options,
    entry,
    usual,
  }: {
    options: { store?: string; space?: string };
    entry: Readonly<Record<string, unknown>>;
    usual: string | null;
  },
): ServerStore {
  const store = options.store ?? entry.KAIROS_STORE;
  const decided = { store, space: options.space ?? entry.KAIROS_SPACE };
  const isLeftOut = (name: Variable) => {
    const option = READ[name];
    return Boolean(env[name]) && !(name in entry) && (option === null || decided[option] === undefined);
  };
  return { store: typeof store === 'string' ? store : usual, left_out: VARIABLES.filter(isLeftOut) };
}

/** The user's store where no option and no variable of kairos is given. */
export async function usualStore({ env, cwd }: Pick<CliIo, 'env' | 'cwd'>): Promise<string> {
  const bare = { ...env };
  for (const name of VARIABLES) delete bare[name];
  const folders = userFolders(bare);
  return (
    storeLocation(undefined, bare, await loadUserSettings(folders), cwd) ?? join(folders.data, 'kairos.db')
  );
}
