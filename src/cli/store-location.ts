import { resolve } from 'node:path';
import type { UserSettings } from '../host/settings/user-settings.ts';

/**
 * Where the store is: `--store`, KAIROS_STORE, QDRANT_URL, the user's configuration; null is the embedded store of the
 * data folder. Relative paths count from the working directory.
 */
export function storeLocation(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
  settings: UserSettings,
  cwd: string,
): string | null {
  const named = flag ?? (env.KAIROS_STORE || undefined);
  if (named !== undefined) return absoluteLocation(named, cwd);
  // As it stands behind the scheme: the address says whether TLS is spoken.
  if (env.QDRANT_URL) return `qdrant:${env.QDRANT_URL}`;
  return settings.store === undefined ? null : absoluteLocation(settings.store, cwd);
}

/** A location that means the same from every working directory. */
export function absoluteLocation(location: string, cwd: string): string {
  if (location === ':memory:') return location;
  const [, scheme = '', path = ''] = /^(sqlite:|)(.*)$/s.exec(location) ?? [];
  // Another scheme, or a drive of Windows.
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path === ':memory:') return location;
  return `${scheme}${resolve(cwd, path)}`;
}
