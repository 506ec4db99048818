import { closeSync, existsSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { sha256Hex } from '../../base/canonical.ts';
import { makeCommands, makeIncludes, type NamedScripts, npmCommands } from '../../shell/builders.ts';
import { isUnknown, parseScript } from '../../shell/commands.ts';
import { isParsable } from '../../shell/held.ts';
import { writtenFiles } from '../../shell/listings.ts';
import { splitFolder } from '../../shell/same-command.ts';
import { FILE_RUNNERS, mayStart, type Started, scriptFiles, startedBy } from '../../shell/started.ts';
import { filledIn, type KnownWords } from '../../shell/variables.ts';
import type { Environment } from '../files/paths.ts';
import { type PatternFiles, patternFiles } from '../files/pattern-files.ts';

/** Of one check, in milliseconds of the processor: far below the time that clients give a hook, also on a busy machine. */
const MAX_TIME = 1000;

/** Whether the processor has worked too long for this program since the first question. */
export function processorLimit(): () => boolean {
  let start: NodeJS.CpuUsage | undefined;
  return () => {
    start ??= process.cpuUsage();
    const { user, system } = process.cpuUsage(start);
    return user + system > MAX_TIME * 1000;
  };
}

/** Of a file whose text is looked at, and of the scripts of a call. */
const [MAX_BYTES, MAX_SCRIPTS] = [16 << 20, 200];
/** A program of another language than shell, and a script of a shell. */
const OTHER_LANGUAGE = /^#!(?!.*\b(?:ba|da|z|k|a)?sh\b)/;
const OF_SHELL = /^#!|\.(?:ba|z|k)?sh$|\.command$/;

interface ReadScripts {
  /** `path`: null for the command itself, with what is known of its words filled in. */
  scripts: { path: string | null; text: string }[];
  /** What could not be read and may run anything; null without that. */
  unread: string | null;
  /** A file that the command writes and then runs; null without one. */
  written: string | null;
}

interface Queued {
  text: string;
  folder: string;
  /** The file that the text is from. */
  file: string | null;
  /** Whether it is a text in an argument, which is compared with its command; whether everything known is filled in. */
  isPart?: boolean;
  isFilled?: boolean;
}

/**
 * The text of script files, scripts of a package.json and targets of a makefile that a command runs, and of those that they run
 * in turn. Files that are missing or binary are left out. Synchronous, which is faster than to start threads.
 */
export function readScripts(command: string, folder: string, env: Environment = {}): ReadScripts {
  const found: ReadScripts = { scripts: [], unread: null, written: null };
  const queue: Queued[] = [{ text: command, folder, file: null }];
  const seen = new Set<string>();
  const isLate = processorLimit();
  const files = patternFiles(isLate);
  const writes = (path: string | null) => {
    const written = writtenFiles(parseScript(command));
    return path === null ? written.length > 0 : written.includes(basename(path));
  };
  const add = (path: string | null, key: string, next: Queued) => {
    if (next.text === '' || seen.has(key)) return;
    seen.add(key);
    if (next.isPart !== true) found.scripts.push({ path, text: next.text });
    queue.push(next);
  };
  for (const queued of queue) {
    if (found.scripts.length > MAX_SCRIPTS || isLate()) {
      found.unread = queued.file ?? command;
      break;
    }
    if (!mayStart(queued.text)) continue;
    const isRead = isParsable(queued.text);
    if (!isRead && queued.file === null) found.unread = queued.text;
    if (!isRead) continue;
    const filled = queued.isFilled ? [] : filledIn(parseScript(queued.text), knownWords(queued, env, files));
    for (const text of filled)
      add(queued.file, `text ${queued.folder} ${text}`, { ...queued, text, isFilled: true });
    for (const started of isLate() ? [] : startedBy(queued.text, queued.folder, FOLDERS))
      follow(started, queued, { env, files, writes, add, found });
    if (isLate()) found.unread = queued.file ?? command;
  }
  return found;
}

const FOLDERS = {
  isFolder: (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  join: (folder: string, path: string) => resolve(folder, path),
};

interface Search {
  env: Environment;
  files: PatternFiles;
  /** Whether the command of the call writes a file of this name; null: any file. */
  writes(path: string | null): boolean;
  add(path: string | null, key: string, next: Queued): void;
  found: ReadScripts;
}

/** Adds what one command starts. */
function follow(
  { words, folders, named, texts, args, listings }: Started,
  { text: script, file: from }: Queued,
  { env, files, writes, add, found }: Search,
): void {
  for (const folder of folders) {
    const take = (path: string, word: string, as: 'script' | 'program') => {
      const mayStartText = as === 'script' || OF_SHELL.test(path) || /\bchmod\b/.test(script);
      if (mayStartText && writes(path)) found.written = word;
      const real = realFile(path);
      if (real === null) return;
      if (basename(real) !== basename(path) && as === 'script')
        add(path, `${path} link`, { text: [basename(real), ...args].join(' '), folder, file: from });
      const text = shellText(real, as, /\bchmod\b/.test(script));
      if (text === null) found.unread = path;
      else add(word, `${folder} ${real}`, { text, folder, file: real });
    };
    for (const text of texts) add(from, `text ${folder} ${text}`, { text, folder, file: from, isPart: true });
    for (const { word, as } of words) {
      if (files.isLate()) return;
      for (const path of files.of(word, folder, as === 'script')) take(path, word, as);
      if (as === 'script' && isUnknown(word) && files.isOver()) found.unread = from ?? script;
    }
    for (const listing of listings) {
      const { paths, isWhole } = files.list(listing.names, resolve(folder, listing.folder), listing.isDeep);
      if (!isWhole) found.unread = listing.folder;
      if (writes(null)) found.written = listing.folder;
      for (const path of paths) take(path, path, listing.as);
    }
    if (named === null) continue;
    const places = named.kind === 'npm' && named.names.length === 0 ? [] : buildNames(named);
    found.written = places.find(writes) ?? found.written;
    for (const file of buildFiles(named, folder)) {
      const { source, included } = buildSource(named.kind, file, files);
      found.written = included.find(writes) ?? found.written;
      const known = (name: string) => (Object.hasOwn(named.values, name) ? named.values[name] : env[name]);
      const text =
        source === null
          ? null
          : named.kind === 'npm'
            ? npmCommands(source, named.names, named.passed)
            : makeCommands(source, named.names, known, named.isDry);
      const label = [file, ...named.names, ...(named.passed ?? [])].join(' ');
      if (text === null) found.unread = file;
      else add(file, label, { text, folder: dirname(file), file });
    }
  }
}

/** What can be known of the words of a script. */
function knownWords({ folder, file }: Queued, env: Environment, files: PatternFiles): KnownWords {
  const ownFolder = () => (file === null ? undefined : dirname(file));
  const outputs: Record<string, () => string | undefined> = {
    'git rev-parse --show-toplevel': () => upwards(folder, '.git'),
    'dirname "$0"': ownFolder,
    'dirname $0': ownFolder,
    'dirname "${BASH_SOURCE[0]}"': ownFolder,
  };
  return {
    variable: (name) => (name === '0' || name === 'BASH_SOURCE' ? (file ?? undefined) : env[name]),
    output: (command) =>
      Object.hasOwn(outputs, command)
        ? outputs[command]!()
        : /^(?:which|command -v) ([\w.-]+)$/.exec(command)?.[1],
    files: (pattern) => files.of(pattern, folder).map((path) => relative(folder, path)),
    isLate: files.isOver,
  };
}

function upwards(folder: string, name: string): string | undefined {
  if (existsSync(join(folder, name))) return folder;
  return dirname(folder) === folder ? undefined : upwards(dirname(folder), name);
}

/** Where a builder looks for the names: the kind of its file, and one in an option. */
type BuildPlace = Pick<NamedScripts, 'kind' | 'file'>;

function buildNames({ kind, file }: BuildPlace): string[] {
  if (kind === 'npm') return ['package.json', 'package.json5', 'package.yaml'];
  return file === undefined ? ['GNUmakefile', 'makefile', 'Makefile'] : [file];
}

/** npm goes up to the next package.json, and pnpm also reads the others; make doesn't go up. */
function buildFiles({ kind, file }: BuildPlace, folder: string): string[] {
  const found = buildNames({ kind, file }).flatMap(
    (name) => realFile(resolve(kind === 'npm' ? (upwards(folder, name) ?? folder) : folder, name)) ?? [],
  );
  return kind === 'npm' ? found : found.slice(0, 1);
}

/** The text of a package.json or a makefile, with the files that it includes; null if one is too large or can't be read, and for too many. */
function buildSource(kind: NamedScripts['kind'], file: string, { of }: PatternFiles) {
  const files = [file];
  let source: string | null = '';
  for (const path of files) {
    if (source === null || realFile(path) === null) continue;
    const text = bytesOf(path, MAX_BYTES)?.toString('utf8');
    source = text === undefined ? null : `${source}${text}\n`;
    const words = kind === 'npm' || text === undefined ? [] : makeIncludes(text);
    const included = words.flatMap((word) => of(word, dirname(file)));
    files.push(...included.filter((each) => !files.includes(each)));
    if (files.length > MAX_SCRIPTS) source = null;
  }
  return { source, included: files.slice(1) };
}

function realFile(path: string): string | null {
  try {
    return statSync(path).isFile() ? realpathSync.native(path) : null;
  } catch {
    return null;
  }
}

/** The text of a script file; empty for a file of another kind, null for a script that is too large. */
function shellText(file: string, as: 'script' | 'program', mayGetStartable: boolean): string | null {
  const { mode, size } = statSync(file);
  const isOfShell = OF_SHELL.test(file);
  if (as === 'program' && !isOfShell && (mode & 0o111) === 0 && !mayGetStartable) return '';
  const start = startOf(file);
  if (start.includes('\0') || OTHER_LANGUAGE.test(start)) return '';
  if (size > MAX_BYTES) return null;
  const text = readFileSync(file, 'utf8');
  if (as === 'script' || isOfShell || start.startsWith('#!')) return text;
  // The system also starts a text without a first line that names its language.
  return isParsable(text) && parseScript(text).errors.length === 0 ? text : '';
}

function startOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(4096);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Limit for a file that a command starts, in bytes. */
const MAX_STARTED = 16 << 20;
const MAX_STARTED_FILES = 100;

/**
 * SHA-256 of the files that a command starts and of those that these start in turn, by their paths as written. Null: missing, not
 * a file, unreadable or too large.
 */
export function startedFiles(command: string, folder: string): Record<string, string | null> {
  const digests: Record<string, string | null> = {};
  const { folder: inner, command: started } = splitFolder(command);
  const place = resolve(folder, inner ?? '.');
  const queue = scriptFiles(started, FILE_RUNNERS);
  for (const path of queue) {
    if (Object.hasOwn(digests, path) || Object.keys(digests).length === MAX_STARTED_FILES) continue;
    const bytes = bytesOf(resolve(place, path), MAX_STARTED);
    digests[path] = bytes === null ? null : sha256Hex(bytes);
    const text = bytes === null || bytes.includes(0) ? '' : bytes.toString('utf8');
    if (isParsable(text) && !OTHER_LANGUAGE.test(text)) queue.push(...scriptFiles(text, FILE_RUNNERS));
  }
  return digests;
}

function bytesOf(path: string, limit: number): Buffer | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= limit ? readFileSync(path) : null;
  } catch {
    return null;
  }
}
