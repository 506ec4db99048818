import {
  access,
  constants,
  copyFile,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { strictUtf8 } from '../../../base/escape.ts';
import { viaDraft } from '../../../host/files/write-file.ts';
import { type InstallClient, type ServerEntry, unusableConfig } from './clients.ts';
import { asObject, contentOf, jsonTokens, withoutEmpty } from './hooks-config.ts';
import { editJson } from './json-config.ts';
import { editToml } from './toml-config.ts';

interface ConfigOutcome {
  change: 'none' | 'created' | 'changed' | 'removed';
  /** The copy of the old file, if one was made now. */
  backup: string | null;
}

/** The change that adds a server to a client's configuration, or removes it; nothing else in the file changes. */
export function serverChange(request: InstallRequest): ConfigChange {
  const { file, client, name, start } = request;
  const redo = (text: string, from: string) => {
    const entry = asObject(asObject(contentOf(from, client)[client.key])[name]);
    return editServer(text, request, entry);
  };
  const undone = start === null ? { keys: [client.key, 'hooks'], redo } : null;
  return { file, format: client.format, undone, edit: (text) => editConfig(text, request) };
}

/** A change of a client's configuration. */
export interface ConfigChange {
  file: string;
  format: 'json' | 'toml' | 'text';
  /** The new content; null removes the file. */
  edit(text: string): string | null;
  /** Null: not an uninstall. */
  undone: Uninstall | null;
}

interface Uninstall {
  /** Keys of the file that go if nothing is left below them. */
  keys: readonly string[];
  /** A text with what is removed from another one, as an installation adds it. */
  redo(text: string, from: string): string;
}

/**
 * Changes a configuration and keeps two copies of the file at most: from before the first change, and from before the last
 * installation. An uninstall restores a copy byte for byte and removes it, if nothing else has changed since. It removes a
 * file that it leaves empty.
 */
export async function changeConfig(
  { file, edit, format, undone }: ConfigChange,
  now: number,
): Promise<ConfigOutcome & { text: string }> {
  const before = await readClientConfig(file);
  const edited = edit(before ?? '');
  const isChanged = edited !== (before ?? '');
  const after =
    isChanged && undone !== null && edited !== null
      ? await restored({ file, before: before ?? '', left: edited, format }, undone)
      : edited;
  const text = after ?? '';
  if (!isChanged) return { change: 'none', backup: null, text };
  try {
    if (before === null) {
      await mkdir(dirname(file), { recursive: true });
      await viaDraft(file, text, { mode: 0o600 }, (draft) => rename(draft, file));
      return { change: 'created', backup: null, text };
    }
    // A link stays one: what it leads to is changed.
    const target = await realpath(file);
    const { mode } = await stat(target);
    await checkWritable(target, mode);
    // What is removed or replaced whole is kairos' own.
    const isOwn = after === null || format === 'text';
    const copies = isOwn ? [] : await copiesOf(file);
    const isKept = copies.some(({ text }) => text === before) || (undone !== null && copies.length > 0);
    const backup = isOwn || isKept ? null : await keep(target, `${file}.${stamp(now)}`);
    // Between the first copy and the new one.
    if (backup !== null) await Promise.all(copies.slice(0, -1).map(({ path }) => rm(path)));
    if (after === null) {
      await rm(target);
      return { change: 'removed', backup, text };
    }
    const modes = { mode: 0o600, exactMode: mode & 0o777 };
    await viaDraft(target, text, modes, (draft) => rename(draft, target));
    // Restored: the next installation makes a new copy.
    const spent = undone === null ? [] : copies.filter((copy) => copy.text === text);
    await Promise.all(spent.map(({ path }) => rm(path)));
    return { change: 'changed', backup, text };
  } catch (cause) {
    throw new KairosError('FILE_UNWRITABLE', `${file} cannot be written: ${(cause as Error).message}`, {
      hint: 'Print what belongs into it with --print, and put it there by hand.',
      cause,
    });
  }
}

interface Left {
  file: string;
  before: string;
  left: string;
  format: ConfigChange['format'];
}

/**
 * The text after an uninstall: a copy, if an installation makes the present text of it, so that the user has changed nothing since;
 * else what is left. Null for a file that was empty.
 */
async function restored(
  { file, before, left, format }: Left,
  { keys, redo }: Uninstall,
): Promise<string | null> {
  const bare = (text: string) => (format === 'json' ? withoutEmpty(text, keys) : text);
  const same = (text: string) =>
    format === 'json'
      ? jsonTokens(bare(text)).join('\n')
      : text
          .split(/\s*\n\s*/)
          .filter((line) => line !== '')
          .join('\n');
  const wanted = same(left);
  const copies = await copiesOf(file);
  for (const { text } of copies) {
    if (text.trim() === '' && wanted === '{\n}') return text;
    if (same(text) === wanted && bare(redo(text, before)) === bare(before)) return text;
  }
  if (wanted === '' || wanted === '{\n}') return null;
  const oldest = copies.at(-1)?.text;
  if (oldest === undefined || format !== 'json') return left;
  // Other hooks of the user may need the version.
  const isSame = same(oldest) === wanted;
  const tokens = new Set(jsonTokens(oldest));
  const added = keys.filter((key) => !tokens.has(JSON.stringify(key)) && (isSame || key !== 'version'));
  return withoutEmpty(left, added);
}

/** The copies that were kept of a file, the newest first. */
async function copiesOf(file: string): Promise<{ path: string; text: string }[]> {
  const folder = dirname(file);
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(file)}.`));
  const dated = names.flatMap((name) => {
    const [, second, count = '1'] = /\.(\d{8}T\d{6}Z)(?:-(\d+))?\.bak$/.exec(name) ?? [];
    return second === undefined ? [] : [{ path: join(folder, name), made: second + count.padStart(6, '0') }];
  });
  const sorted = dated.toSorted((left, right) => (left.made < right.made ? 1 : -1));
  const copies = sorted.map(async ({ path }) => {
    const text = await readFile(path, 'utf8').catch(() => null);
    return text === null ? [] : [{ path, text }];
  });
  return (await Promise.all(copies)).flat();
}

/** Refuses a read-only file: replacing it needs only a writable folder, which its owner did not mean. */
async function checkWritable(path: string, mode: number): Promise<void> {
  if ((mode & 0o222) === 0) throw new Error(`it is read-only (mode ${(mode & 0o777).toString(8)})`);
  await access(path, constants.W_OK);
}

/** A copy under a name that nothing has yet, `NAME.bak` or `NAME-2.bak`: nothing is overwritten. */
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
export function editConfig(text: string, request: InstallRequest): string {
  const { client, start } = request;
  return editServer(text, request, start === null ? null : client.entry(start));
}

function editServer(
  text: string,
  { client, file, name }: InstallRequest,
  entry: Record<string, unknown> | null,
): string {
  const edit = client.format === 'json' ? editJson : editToml;
  return edit(text, { file, key: client.key, name, entry, once: client.once ?? [] });
}

/** The variables that a server's entry gives to it, of a configuration that has been read before. */
export function entryEnv(text: string, client: InstallClient, name: string): Record<string, unknown> {
  const path = [client.key, name, client.envKey ?? 'env'];
  const found = path.reduce<unknown>((value, key) => asObject(value)[key], contentOf(text, client));
  return asObject(found);
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
  const text = strictUtf8(bytes);
  if (text === null) throw unusableConfig(file, 'it is not UTF-8');
  return text;
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
