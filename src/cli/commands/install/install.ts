import {
  access,
  constants,
  copyFile,
  mkdir,
  readFile,
  readlink,
  realpath,
  rename,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse as parseJson } from 'jsonc-parser';
import { KairosError } from '../../../base/errors.ts';
import { readToml } from '../../../formats/toml.ts';
import { viaDraft } from '../../../host/files/write-file.ts';
import type { InstallClient, ServerEntry } from './clients.ts';
import { editJson } from './json-config.ts';
import { unusableConfig } from './server-edit.ts';
import { editToml } from './toml-config.ts';

interface InstallOutcome {
  change: 'none' | 'created' | 'changed';
  /** The copy of the old file, if the file was changed. */
  backup: string | null;
  /** The variables that the entry gives to the server. */
  env: Record<string, unknown>;
}

/** Adds a server to a client's configuration, or removes it; nothing else in the file changes. */
export async function install(request: InstallRequest, now: number): Promise<InstallOutcome> {
  const { file } = request;
  const before = await readClientConfig(file);
  const after = editConfig(before ?? '', request);
  const env = entryEnv(after, request.client, request.name);
  if (after === (before ?? '')) return { change: 'none', backup: null, env };
  try {
    if (before === null) {
      await mkdir(dirname(file), { recursive: true });
      await viaDraft(file, after, { mode: 0o600 }, (draft) => rename(draft, file));
      return { change: 'created', backup: null, env };
    }
    // A link stays one: what it leads to is changed.
    const target = await realpath(file);
    const { mode } = await stat(target);
    await checkWritable(target, mode);
    const backup = await keep(target, `${file}.${stamp(now)}`);
    const modes = { mode: 0o600, exactMode: mode & 0o777 };
    await viaDraft(target, after, modes, (draft) => rename(draft, target));
    return { change: 'changed', backup, env };
  } catch (cause) {
    throw new KairosError('FILE_UNWRITABLE', `${file} cannot be written: ${(cause as Error).message}`, {
      hint: 'Print what belongs into it with --print, and put it there by hand.',
      cause,
    });
  }
}

/** Refuses a read-only file: replacing it needs only a writable folder, which its owner did not mean. */
async function checkWritable(path: string, mode: number): Promise<void> {
  if ((mode & 0o222) === 0) throw new Error(`it is read-only (mode ${(mode & 0o777).toString(8)})`);
  await access(path, constants.W_OK);
}

/** A copy under a name that nothing has yet, `NAME.bak` or `NAME-2.bak`: what was kept once stays. */
async function keep(path: string, name: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const backup = `${name}${count === 1 ? '' : `-${count}`}.bak`;
    try {
      await copyFile(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    }
  }
}

/** `20260115T120000Z`, which sorts and is allowed in file names everywhere. */
function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
}

interface InstallRequest {
  client: InstallClient;
  file: string;
  /** The server's name in the client. */
  name: string;
  /** Null: remove it. */
  start: ServerEntry | null;
}

/** The content of the file after the edit. */
export function editConfig(text: string, { client, file, name, start }: InstallRequest): string {
  const edit = client.format === 'json' ? editJson : editToml;
  const entry = start === null ? null : client.entry(start);
  return edit(text, { file, key: client.key, name, entry, once: client.once ?? [] });
}

/** The variables that a server's entry gives to it, of a configuration that has been read before. */
function entryEnv(text: string, client: InstallClient, name: string): Record<string, unknown> {
  const root: unknown =
    client.format === 'json'
      ? parseJson(text.replace(/^\ufeff/, ''), [], { allowTrailingComma: true })
      : tomlContent(text);
  const path = [client.key, name, client.envKey ?? 'env'];
  const found = path.reduce((value, key) => asObject(value)[key], root);
  return asObject(found);
}

function tomlContent(text: string): unknown {
  const read = readToml(text);
  return 'content' in read ? read.content : {};
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A client's configuration; null for a missing file. Throws FILE_UNREADABLE, also for a broken link. */
async function readClientConfig(file: string): Promise<string | null> {
  let bytes: Buffer;
  try {
    // Opening a pipe waits for its writer.
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    bytes = await readFile(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      throw unusableConfig(file, (cause as Error).message);
    const target = await readlink(file).catch(() => null);
    if (target === null) return null;
    throw unusableConfig(file, `it is a link to ${target}, which doesn't exist`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusableConfig(file, 'it is not UTF-8');
  }
}

/**
 * The file to change, of the alternatives that the client reads: the one that has the server, else the one that is
 * there, else the usual one.
 */
export async function chooseFile(client: InstallClient, file: string, name: string): Promise<string> {
  if (client.otherName === undefined) return file;
  const other = join(dirname(file), client.otherName);
  const [usual, second] = await Promise.all([look(client, file, name), look(client, other, name)]);
  if (usual === 'has it' || second === 'missing') return file;
  return usual === 'missing' || second === 'has it' ? other : file;
}

async function look(
  client: InstallClient,
  file: string,
  name: string,
): Promise<'missing' | 'is there' | 'has it'> {
  try {
    const text = await readClientConfig(file);
    if (text === null) return 'missing';
    return editConfig(text, { client, file, name, start: null }) === text ? 'is there' : 'has it';
  } catch {
    // The fault is reported when the file is changed.
    return 'is there';
  }
}
