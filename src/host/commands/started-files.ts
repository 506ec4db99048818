import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sha256Hex } from '../../base/canonical.ts';
import { splitFolder } from '../../shell/same-command.ts';
import {
  FILE_RUNNERS,
  makeCommands,
  mayStart,
  type NamedScripts,
  npmCommands,
  scriptFiles,
  startedBy,
} from '../../shell/started.ts';

/** Of one check, in milliseconds of the processor: far below the time that clients give a hook, also on a busy machine. */
const MAX_TIME = 1000;

/** Whether the processor has worked too long for this program since now. */
export function processorLimit(): () => boolean {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return user + system > MAX_TIME * 1000;
  };
}

const MAX_SCRIPT = 64 * 1024;
/** Of a package.json or a makefile. */
const MAX_BUILD_FILE = 1 << 20;
const MAX_SCRIPTS = 20;
/** A program of another language than shell. */
const OTHER_LANGUAGE = /^#!(?!.*\b(?:ba|da|z|k|a)?sh\b)/;

/**
 * The text of script files, scripts of a package.json and targets of a makefile that a command runs, and of those that they run
 * in turn. Files that are missing, large or binary are left out. Synchronous, which is faster than to start threads.
 */
export function readScripts(command: string, folder: string): { path: string; text: string }[] {
  const scripts: { path: string; text: string }[] = [];
  const queue = [{ text: command, folder }];
  const seen = new Set<string>();
  const add = (path: string, key: string, place: string, text: string) => {
    if (text === '' || seen.has(key)) return;
    seen.add(key);
    scripts.push({ path, text });
    queue.push({ text, folder: place });
  };
  for (const { text: script, folder: start } of queue) {
    if (scripts.length >= MAX_SCRIPTS) break;
    if (!mayStart(script)) continue;
    const started = startedBy(script);
    const folders = workFolders(started.folders, start);
    for (const path of new Set([...scriptFiles(script), ...started.inputs]))
      for (const place of folders) {
        const file = realFile(resolve(place, path));
        const text = file === null ? '' : shellText(file);
        if (file !== null) add(path, file, place, text);
      }
    for (const named of started.named)
      for (const place of folders) {
        const file = buildFile(named, place);
        const source = file === null ? '' : (bytesOf(file, MAX_BUILD_FILE)?.toString('utf8') ?? '');
        const text =
          named.kind === 'npm' ? npmCommands(source, named.names) : makeCommands(source, named.names);
        if (file !== null) add(file, `${file} ${named.names.join(' ')}`, dirname(file), text);
      }
  }
  return scripts;
}

/** The folder of a script and those that it changes to. */
function workFolders(changes: readonly string[], start: string): Set<string> {
  const folders = new Set([start]);
  let here = start;
  for (const folder of changes) {
    here = resolve(here, folder);
    folders.add(here).add(resolve(start, folder));
  }
  return folders;
}

/** npm goes up to the next package.json, make doesn't. */
function buildFile({ kind, file }: NamedScripts, folder: string): string | null {
  if (kind === 'make') {
    const names = file === undefined ? ['GNUmakefile', 'makefile', 'Makefile'] : [file];
    return names.map((name) => realFile(resolve(folder, name))).find((found) => found !== null) ?? null;
  }
  const found = realFile(join(folder, 'package.json'));
  return found !== null || dirname(folder) === folder
    ? found
    : buildFile({ kind, names: [] }, dirname(folder));
}

function realFile(path: string): string | null {
  try {
    return statSync(path).isFile() ? realpathSync.native(path) : null;
  } catch {
    return null;
  }
}

function shellText(file: string): string {
  const text = bytesOf(file, MAX_SCRIPT)?.toString('utf8') ?? '';
  return text.includes('\0') || OTHER_LANGUAGE.test(text) ? '' : text;
}

/** Of a file that a command starts, in bytes. */
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
    if (text.length <= MAX_SCRIPT && !OTHER_LANGUAGE.test(text))
      queue.push(...scriptFiles(text, FILE_RUNNERS));
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
