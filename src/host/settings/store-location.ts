import { resolve } from 'node:path';
import { belowHome, type Environment } from '../files/paths.ts';
import type { UserSettings } from './user-settings.ts';

/**
 * Where the store is: `--store`, KAIROS_STORE, QDRANT_URL, the user's configuration; null is the embedded store of the
 * data folder. Relative paths count from the working directory; `~` is the home directory.
 */
export function storeLocation(
  flag: string | undefined,
  env: NodeJS.ProcessEnv,
  settings: UserSettings,
  cwd: string,
): string | null {
  const named = flag ?? (env.KAIROS_STORE || undefined);
  if (named !== undefined) return absoluteLocation(named, cwd, env);
  // Unchanged after the scheme: the address decides whether TLS is used.
  if (env.QDRANT_URL) return `qdrant:${env.QDRANT_URL}`;
  return settings.store === undefined ? null : absoluteLocation(settings.store, cwd, env);
}

/** A location that means the same from every working directory. */
export function absoluteLocation(location: string, cwd: string, env: Environment = process.env): string {
  if (location === ':memory:') return location;
  const [, scheme = '', path = ''] = /^(sqlite:|)(.*)$/s.exec(location) ?? [];
  // Another scheme, or a drive of Windows.
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path === ':memory:') return location;
  return `${scheme}${resolve(cwd, belowHome(path, env))}`;
}

/** A location as it may be printed and recorded: without credentials. */
export function printedLocation(location: string): string {
  return location.replace(/\/\/[^@/]*@/, '//');
}
