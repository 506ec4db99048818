import { realpathSync, type Stats, statSync } from 'node:fs';

/**
 * What a path is when it can't be read like a file; null for a file. A named pipe waits for a writer who may
 * never come. A pipe that the call got open (`/dev/stdin`, `<(…)` of a shell) has one, and ends. Throws what
 * `stat` throws.
 */
export function oddFile(file: string, stats: Stats = statSync(file)): string | null {
  if (stats.isFile() || stats.isDirectory()) return null;
  if (stats.isFIFO()) return HANDED_OPEN.test(realpathSync(file)) ? null : 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Where systems keep the descriptors of a process, links followed. */
const HANDED_OPEN = /^\/(?:dev|proc\/[^/]+)\/fd\//;
