import { checkSpace } from '../base/space.ts';
import { userFolders } from '../host/files/paths.ts';
import { loadUserSettings } from '../host/settings/user-settings.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import type { Call } from './command.ts';
import { storeLocation } from './store-location.ts';

/** Opens a store that has to be there already, to read it, and closes it whatever happens. `location`: as `--store`. */
export async function withStoreToRead<T>(
  { options, io, output }: Pick<Call<unknown[]>, 'options' | 'io' | 'output'>,
  location: string | undefined,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const folders = userFolders(io.env);
  const settings = await loadUserSettings(folders);
  const store = await openStore({
    location: storeLocation(location, io.env, settings, io.cwd),
    dataDir: folders.data,
    apiKey: io.env.QDRANT_API_KEY || undefined,
    readOnly: true,
    warn: (message) => {
      if (options.json !== true) output.note(`note: ${message}`);
    },
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The space that `--space` restricts a move to; the user's usual one does not. */
export function chosenSpace({ options }: Pick<Call<unknown[]>, 'options'>): string | undefined {
  return options.space === undefined ? undefined : checkSpace(options.space);
}
