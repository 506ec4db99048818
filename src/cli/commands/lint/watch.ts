import { type FSWatcher, watch } from 'node:fs';
import { KairosError } from '../../../base/errors.ts';

/** Time that changes have to come to rest in, in milliseconds: editors write a file in several goes. */
const REST_MS = 100;

const NAMES = /\.md$|^\.gitignore$|^\.kairosignore$|^kairos\.config\.(?:yaml|json)$|^package\.json$/i;

/** Whether a change may change what is found: of a file that is read, or of what may be a folder that came or went. */
function matters(event: string, name: string | null): boolean {
  return name === null || NAMES.test(name) || (event === 'rename' && !name.includes('.', 1));
}

/**
 * Runs work, and runs it again whenever something changes in the folders that it names, until the signal is aborted. A change
 * that comes while it runs counts for the next time.
 */
export async function rerunOnChange(
  work: (onFolders: (folders: readonly string[]) => void) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const watchers = new Map<string, FSWatcher>();
  let isDirty = false;
  let wake = () => {};
  const changed = () => {
    isDirty = true;
    wake();
  };
  signal.addEventListener('abort', () => wake(), { once: true });
  const sync = (folders: readonly string[]) => {
    for (const [folder, watcher] of watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) {
      if (!watchers.has(folder)) watchers.set(folder, watchFolder(folder, changed));
    }
  };
  try {
    while (!signal.aborted) {
      isDirty = false;
      await work(sync);
      while (!isDirty && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      await rest(signal);
    }
  } finally {
    for (const watcher of watchers.values()) watcher.close();
  }
}

function watchFolder(folder: string, changed: () => void): FSWatcher {
  try {
    const watcher = watch(folder, (event, name) => {
      if (matters(event, name)) changed();
    });
    // A removed folder counts as a change.
    watcher.on('error', changed);
    return watcher;
  } catch (cause) {
    throw new KairosError('FILE_UNREADABLE', `${folder} cannot be watched: ${(cause as Error).message}`, {
      hint: 'Watch fewer folders, or raise the limit of the system (fs.inotify.max_user_watches on Linux).',
      cause,
    });
  }
}

async function rest(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, REST_MS);
    signal.addEventListener('abort', stop, { once: true });
  });
}
