import { stepUri } from '../../../protocol/identity.ts';
import { openStore } from '../../../store/open.ts';
import type { Store } from '../../../store/port.ts';
import type { Call } from '../../command.ts';
import { openHost } from '../../context.ts';
import { storeLocation } from '../../store-location.ts';
import type { Item, Names } from './complete.ts';

/** Runs to choose from; older ones are typed. */
const MAX_RUNS = 50;

/**
 * Names out of the store, which is read and never made. Where it cannot be looked at there are none: pressing Tab is no
 * moment for an error.
 */
export function storeNames(call: Pick<Call<unknown[]>, 'options' | 'io'>): Names {
  const look = async (read: (store: Store, space: string) => Promise<Item[]>): Promise<Item[]> => {
    try {
      const { folders, settings, space } = await openHost(call);
      const location = storeLocation(call.options.store, call.io.env, settings, call.io.cwd);
      const store = await openStore({ location, dataDir: folders.data, readOnly: true });
      try {
        return await read(store, space);
      } finally {
        await store.close();
      }
    } catch {
      return [];
    }
  };
  return {
    slugs: () =>
      look(async (store, space) =>
        (await store.listChains([space])).map(({ slug, title }) => ({ value: slug, description: title })),
      ),
    uris: () =>
      look(async (store, space) =>
        (await store.listChains([space])).map(({ chainId, title }) => ({
          value: stepUri(chainId, 1),
          description: title,
        })),
      ),
    runs: () =>
      look(async (store, space) =>
        (await store.findRuns({ spaces: [space], limit: MAX_RUNS })).map(({ runId, slug, begunAt }) => ({
          value: runId,
          description: `${slug}, ${begunAt}`,
        })),
      ),
    spaces: () =>
      look(async (store) => (await store.listSpaces()).map(({ name }) => ({ value: name, description: '' }))),
  };
}
