import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import type { Destination } from './settings.ts';

/** What a call reads, by the name that messages have for it. */
export interface ReadFile {
  name: string;
  /** Absolute. */
  file: string;
}

/** Refuses reports that would replace what the call reads, or one another, whatever ways lead there. Throws USAGE. */
export function checkReportFiles(
  destinations: readonly Destination[],
  read: readonly ReadFile[],
  cwd: string,
): void {
  const files = destinations.flatMap(({ format, file }) => (file === null ? [] : [{ format, file }]));
  const taken = new Map(read.map(({ name, file }) => [identity(file), name]));
  const written = new Set<string>();
  for (const { format, file } of files) {
    const key = identity(resolve(cwd, file));
    const name = taken.get(key);
    if (name !== undefined) throw refusal(`${format}:${file}`, `the report would replace ${name}`);
    if (written.has(key)) throw refusal(`${format}:${file}`, 'another report goes into that file');
    written.add(key);
  }
}

function refusal(value: string, what: string): KairosError {
  return new KairosError('USAGE', `--format ${value}: ${what}`, { hint: 'Name another file.' });
}

/** The same for every way to a file, links included; a file that is yet to be is told by its folder. */
function identity(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  return join(realFolder(dirname(path)), basename(path));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
