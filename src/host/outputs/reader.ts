import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import promises, { type FileHandle, lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { strictUtf8 } from '../../base/escape.ts';
import type { OutputFault, OutputReader, OutputReading, ReadOutput } from '../../proof/outputs.ts';
import type { OutputCheck } from '../../protocol/schema.ts';
import { isInside } from '../files/paths.ts';
import { findFiles, isWild, parsePath } from './find-files.ts';

/** Limits in bytes: of one file, and of all files of one solution together. */
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
  // A wildcard may lead into the client's folders from above; a plain path is either inside or outside them.
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
): Promise<Omit<ReadOutput, 'path'> | OutputFault | null> {
  if (narrow !== null && !narrow.some((root) => isInside(root, file))) return 'outside';
  if (output.exists === false) return null;
  const looksInside = LOOKING_INSIDE.some((key) => output[key] !== undefined);
  const limits = { bytes: Math.min(MAX_FILE, budget.bytes), keep: looksInside ? MAX_TEXT : -1 };
  const content = await readFileAt(file, limits);
  if (typeof content === 'string') return content;
  const { size, sha256, bytes } = content;
  budget.bytes -= size;
  if (looksInside && bytes === null) return 'too-large';
  return { size, sha256, text: bytes === null ? null : strictUtf8(bytes) };
}

const LOOKING_INSIDE = ['matches', 'json_pointer', 'equals', 'schema'] as const;

function refused(fault: OutputFault): OutputReading {
  return { files: [], others: false, fault };
}

function slashes(path: string): string {
  return path.split(sep).join('/');
}

/** Bytes of a file that are read in one step. */
const CHUNK = 256 * 1024;

/** A file's size and digest, and its content if requested. */
interface Content {
  size: number;
  sha256: string;
  bytes: Buffer | null;
}

interface ReadLimits {
  /** Bytes that a file may have at most. */
  bytes: number;
  /** Keep the content of a file up to this many bytes. */
  keep: number;
}

/**
 * Reads one regular file at exactly this path: absolute, without any link in it. The open file is checked
 * again before and after reading, so that no replacement is read for it. Opening neither follows a link nor
 * waits for a pipe. Never throws.
 */
export async function readFileAt(
  path: string,
  limits: ReadLimits,
  system: Pick<typeof promises, 'open' | 'readlink'> = promises,
): Promise<Content | OutputFault> {
  try {
    const seen = await lstat(path);
    if (seen.isSymbolicLink()) return 'link';
    // A device isn't opened, because opening it may have an effect.
    if (!seen.isFile()) return 'not-a-file';
    const handle = await system.open(path, OPEN_FLAGS);
    try {
      return await readHandle(handle, path, limits, system);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') return 'link';
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'changed' : 'unreadable';
  }
}

// Windows has neither; it has no pipes in folders, and the place of what was opened is checked there too.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function readHandle(
  handle: FileHandle,
  path: string,
  { bytes: limit, keep }: ReadLimits,
  system: Pick<typeof promises, 'readlink'>,
): Promise<Content | OutputFault> {
  const before = await handle.stat({ bigint: true });
  if (!before.isFile()) return 'not-a-file';
  if (before.size > BigInt(limit)) return 'too-large';
  if (!(await isAt(handle, path, system))) return 'link';
  const size = Number(before.size);
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let count = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(CHUNK, size + 1)), 0);
    if (bytesRead === 0) break;
    count += bytesRead;
    if (count > size) return 'changed';
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    if (size <= keep) chunks.push(chunk);
  }
  const after = await handle.stat({ bigint: true });
  const same = (['ino', 'dev', 'size', 'mtimeNs', 'ctimeNs'] as const).every(
    (key) => before[key] === after[key],
  );
  if (!same || count !== size || !(await isAt(handle, path, system))) return 'changed';
  return { size, sha256: hash.digest('hex'), bytes: size <= keep ? Buffer.concat(chunks) : null };
}

/**
 * Whether the open file is the one at this path, and no folder of the path is a link. Linux reports the path
 * of an open file; elsewhere the path is resolved and the file there compared.
 */
async function isAt(
  handle: FileHandle,
  path: string,
  system: Pick<typeof promises, 'readlink'>,
): Promise<boolean> {
  const place = await system.readlink(`/proc/self/fd/${handle.fd}`).catch(() => null);
  if (place !== null) return place === path;
  const [mine, there] = [await handle.stat({ bigint: true }), await lstat(path, { bigint: true })];
  return (await realpath(path)) === path && mine.ino === there.ino && mine.dev === there.dev;
}
