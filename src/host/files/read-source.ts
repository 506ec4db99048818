import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { hereCommand } from '../../base/command-line.ts';
import { KairosError, unreadableFile } from '../../base/errors.ts';
import { strictUtf8 } from '../../base/escape.ts';
import { decodeSource } from '../../protocol/position.ts';

/** Bytes that a document may have (SPEC 8). */
const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** Where documents come from: standard input, and the folder that relative paths count from. */
export interface SourceInput {
  stdin: Readable;
  cwd: string;
}

interface ReadLimits {
  maxBytes: number;
}

/** What a file is called in messages; `-` is standard input. */
export function sourceName(path: string): string {
  return path === '-' ? 'standard input' : path;
}

/** Standard input can be read once. Throws USAGE when a list of files has `-` more than once. */
export function requireOneStdin(paths: readonly string[]): void {
  if (paths.filter((path) => path === '-').length < 2) return;
  throw new KairosError('USAGE', 'standard input (-) can stand for one file only', {
    hint: 'Name the other files, or call kairos once for each.',
  });
}

/**
 * The text of a file, or of standard input for `-`. Throws FILE_UNREADABLE, with the reason, for what is missing,
 * forbidden, a directory, too large, not UTF-8, or contains NUL.
 */
export async function readSource(
  path: string,
  io: SourceInput,
  limits: ReadLimits = { maxBytes: MAX_DOCUMENT_BYTES },
): Promise<string> {
  return decode(await readBytes(path, io, limits), sourceName(path));
}

/** The same without a check of the bytes. */
async function readBytes(
  path: string,
  { stdin, cwd }: SourceInput,
  { maxBytes }: ReadLimits,
): Promise<Buffer> {
  if (path === '-') return collect(stdin, sourceName(path), maxBytes);
  return readFile(resolve(cwd, path), path, maxBytes);
}

async function readFile(file: string, name: string, maxBytes: number): Promise<Buffer> {
  const info = await stat(file).catch((error: unknown) => {
    throw unreadableFile(name, error);
  });
  if (info.isDirectory()) {
    throw new KairosError('FILE_UNREADABLE', `${name} is a directory`, { hint: 'Name the files in it.' });
  }
  // Reads one byte more than allowed, because a pipe or a growing file has no reliable size.
  return collect(createReadStream(file, { end: maxBytes }), name, maxBytes);
}

async function collect(stream: Readable, name: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk as Uint8Array | string);
      size += bytes.length;
      if (size > maxBytes) throw tooLarge(name, maxBytes);
      chunks.push(bytes);
    }
  } catch (error) {
    throw error instanceof KairosError ? error : unreadableFile(name, error);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, name: string): string {
  const read = decodeSource(bytes);
  if ('source' in read) return read.source;
  const { code, place, args } = read.problem;
  // A solution may be larger than a document; its own limit has been looked at.
  const large = code === 'document-too-large';
  const text = large ? strictUtf8(bytes) : null;
  if (text !== null) return text;
  const what =
    args.what === 'nul' ? 'contains a NUL character, so it is not a text file' : 'is not valid UTF-8';
  const where = large ? '' : ` (line ${place.start.line}, column ${place.start.column})`;
  throw new KairosError('FILE_UNREADABLE', `${name} ${what}${where}`, {
    hint: 'Save it as text in UTF-8 and try again.',
  });
}

function tooLarge(name: string, maxBytes: number): KairosError {
  return new KairosError('FILE_UNREADABLE', `${name} has more than ${maxBytes / 1024 / 1024} MiB`, {
    hint: 'Nothing of it was read. Give a smaller file.',
  });
}

const MAX_LEDGER_BYTES = 256 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Returns the lines of an exported ledger. A line that is not UTF-8 is returned as invalid JSON, so that `verify` reports
 * its number. Throws FILE_UNREADABLE.
 */
export async function readLedgerLines(path: string, io: SourceInput): Promise<string[]> {
  const bytes = await readBytes(path, io, { maxBytes: MAX_LEDGER_BYTES }).catch((error: unknown) => {
    if (!(error instanceof KairosError) || (error.cause as NodeJS.ErrnoException)?.code !== 'ENOENT')
      throw error;
    const hint = `Check the path. For a run, give its id or latest. List your runs with: ${hereCommand(['runs'])}`;
    throw unreadableFile(sourceName(path), error.cause, hint);
  });
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    lines.push(strictUtf8(line) ?? `${line.toString()}\ufffd`);
    start = end + 1;
  }
  return lines;
}
