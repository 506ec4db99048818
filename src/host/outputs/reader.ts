import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { OutputFault, OutputReader, OutputReading, ReadFile } from '../../proof/output-reader.ts';
import type { OutputCheck } from '../../protocol/schema.ts';
import { isInside } from '../commands/workdir.ts';
import { findFiles } from './find-files.ts';
import { isWild, parsePath } from './glob.ts';
import { readFileAt } from './read-file.ts';

/** A file may have so many bytes, and all that one solution has to show together. */
const MAX_FILE = 256 * 1024 * 1024;
const MAX_ALL = 1024 * 1024 * 1024;
/** The most bytes of a file's content that are checked. */
const MAX_TEXT = 4 * 1024 * 1024;

/** A folder to read in, as named and with its links resolved. */
interface Folder {
  named: string;
  real: string;
}

/**
 * Reads outputs inside folders (absolute): relative paths in the working directory, absolute ones in any of
 * them. The folders' own links are resolved once; below them no link is followed. A missing folder is
 * skipped. `names` are other spellings of the folders; one that leads elsewhere by now is skipped too.
 */
export async function makeOutputReader(
  workdir: string | null,
  roots: readonly string[],
  names: readonly string[] = [],
): Promise<OutputReader> {
  const [work = null] = workdir === null ? [] : await resolved([workdir]);
  const own = [...(work === null ? [] : [work]), ...(await resolved(roots))];
  const others = (await resolved(names)).filter(({ real }) => own.some((folder) => folder.real === real));
  const folders = [...own, ...others];
  return {
    folders: async () => own.map(({ real }) => real),
    async read(outputs, within) {
      const narrow = within === null ? null : (await resolved(within)).map(({ real }) => real);
      const budget = { bytes: MAX_ALL };
      const readings: OutputReading[] = [];
      for (const output of outputs) readings.push(await readOne(output, { work, folders, narrow, budget }));
      return readings;
    },
  };
}

interface Scope {
  work: Folder | null;
  folders: readonly Folder[];
  /** The client's folders; null when they narrow nothing. */
  narrow: readonly string[] | null;
  budget: { bytes: number };
}

async function resolved(paths: readonly string[]): Promise<Folder[]> {
  const found = await Promise.all(
    paths.map(async (named) => ({ named, real: await realpath(named).catch(() => null) })),
  );
  return found.filter((folder): folder is Folder => folder.real !== null);
}

async function readOne(output: OutputCheck, scope: Scope): Promise<OutputReading> {
  const { path } = output;
  const alternatives = parsePath(path);
  if (alternatives === null) return refused('path');
  const reading: OutputReading = { files: [], others: false, fault: null };
  for (const segments of alternatives) {
    const place = placeOf(segments, isAbsolute(path), scope);
    if (typeof place === 'string') return refused(place);
    const found = await findFiles(place.folder, place.segments);
    reading.others ||= found.others;
    reading.fault ??= found.fault;
    for (const file of found.files) {
      const one = await readFound(file, output, scope);
      if (one === null) reading.others = true;
      else if (typeof one === 'string') reading.fault ??= one;
      else
        reading.files.push({ ...one, path: isAbsolute(path) ? file : slashes(relative(place.folder, file)) });
    }
  }
  return reading;
}

/** Where to look, and for what below it. */
function placeOf(segments: readonly string[], absolute: boolean, scope: Scope): Place | OutputFault {
  const place = absolute
    ? absolutePlace(segments, scope)
    : scope.work && { folder: scope.work.real, segments };
  if (place === null) return scope.folders.length === 0 || !absolute ? 'no-folder' : 'outside';
  const { narrow } = scope;
  if (narrow === null) return place;
  const wild = place.segments.findIndex(isWild);
  const start = join(place.folder, ...place.segments.slice(0, wild === -1 ? undefined : wild));
  // A wildcard may lead into the client's folders from above; a plain path lies in them or it does not.
  const near = narrow.some((root) => isInside(root, start) || (wild !== -1 && isInside(start, root)));
  return near ? place : 'outside';
}

interface Place {
  folder: string;
  segments: readonly string[];
}

function absolutePlace(segments: readonly string[], { folders }: Scope): Place | null {
  const path = join(sep, ...segments);
  for (const { named, real } of folders) {
    const root = [real, named].find((spelling) => isInside(spelling, path));
    if (root === undefined) continue;
    const below = relative(root, path).split(sep);
    return { folder: real, segments: below.filter((part) => part !== '') };
  }
  return null;
}

/** Null: the file must not exist, so its content isn't needed. */
async function readFound(
  file: string,
  output: OutputCheck,
  { narrow, budget }: Scope,
): Promise<Omit<ReadFile, 'path'> | OutputFault | null> {
  if (narrow !== null && !narrow.some((root) => isInside(root, file))) return 'outside';
  if (output.exists === false) return null;
  const looksInside = LOOKING_INSIDE.some((key) => output[key] !== undefined);
  const limits = { bytes: Math.min(MAX_FILE, budget.bytes), keep: looksInside ? MAX_TEXT : -1 };
  const content = await readFileAt(file, limits);
  if (typeof content === 'string') return content;
  const { size, sha256, bytes } = content;
  budget.bytes -= size;
  if (looksInside && bytes === null) return 'too-large';
  return { size, sha256, text: bytes === null ? null : textOf(bytes) };
}

const LOOKING_INSIDE = ['matches', 'json_pointer', 'equals', 'schema'] as const;

function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function refused(fault: OutputFault): OutputReading {
  return { files: [], others: false, fault };
}

function slashes(path: string): string {
  return path.split(sep).join('/');
}
