import { withIntactContents } from '../store/intact.ts';
import { type OpenOptions, openStore, withReserved } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import type { UserFolders } from './files/paths.ts';
import { storeLocation, type UserSettings } from './settings/user-settings.ts';

/** What decides where the user's store is. */
interface StoreChoice {
  /** `--store`. */
  option: string | undefined;
  env: NodeJS.ProcessEnv;
  cwd: string;
  folders: UserFolders;
  settings: UserSettings;
}

/** Opens the store that the option, the environment or the user's settings name, unchecked: to copy it, or to list names. */
export function openUserStore(
  { option, env, cwd, folders, settings }: StoreChoice,
  options: Pick<OpenOptions, 'readOnly' | 'missingIsEmpty' | 'warn'>,
): Promise<Store> {
  return openStore({
    location: storeLocation(option, env, settings, cwd),
    dataDir: folders.data,
    apiKey: env.QDRANT_API_KEY || undefined,
    ...options,
  });
}

/** A store as operations use it: with the protocols that are part of kairos, and without contents that were changed. */
export function withChecks(store: Store): Store {
  return withReserved(withIntactContents(store));
}
