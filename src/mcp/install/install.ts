import { randomBytes } from 'node:crypto';
import { constants, copyFile, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import type { InstallClient, ServerStart } from './clients.ts';
import { editJson } from './json-config.ts';
import { editToml } from './toml-config.ts';
import { unusableConfig } from './unusable.ts';

export interface InstallRequest {
  client: InstallClient;
  file: string;
  /** The server's name in the client. */
  name: string;
  /** Null: take it out. */
  start: ServerStart | null;
}

export interface InstallOutcome {
  change: 'none' | 'created' | 'changed';
  /** The file as it was, when it was changed. */
  backup: string | null;
}

/** Puts a server into a client's configuration, or takes it out; nothing else in the file changes. */
export async function install(request: InstallRequest, now: number): Promise<InstallOutcome> {
  const { file } = request;
  const before = await readConfig(file);
  const after = editConfig(before ?? '', request);
  if (after === (before ?? '')) return { change: 'none', backup: null };
  try {
    if (before === null) {
      await mkdir(dirname(file), { recursive: true });
      await replace(file, after, 0o600);
      return { change: 'created', backup: null };
    }
    // A link stays one: what it leads to is changed.
    const target = await realpath(file);
    const { mode } = await stat(target);
    const backup = await keep(target, `${file}.${stamp(now)}`);
    await replace(target, after, mode & 0o777);
    return { change: 'changed', backup };
  } catch (cause) {
    throw new KairosError('FILE_UNWRITABLE', `${file} cannot be written: ${(cause as Error).message}`, {
      hint: 'Print what belongs into it with --print, and put it there by hand.',
      cause,
    });
  }
}

/** What the file would hold. */
export function editConfig(text: string, { client, file, name, start }: InstallRequest): string {
  const edit = client.format === 'json' ? editJson : editToml;
  const entry = start === null ? null : client.entry(start);
  return edit(text, { file, key: client.key, name, entry, once: client.once ?? [] });
}

async function readConfig(file: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusableConfig(file, (cause as Error).message);
  }
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

async function replace(path: string, text: string, mode: number): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** `20260115T120000Z`, which sorts and is allowed in file names everywhere. */
function stamp(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
}
