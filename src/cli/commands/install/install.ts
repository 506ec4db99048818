import { randomBytes } from 'node:crypto';
import { access, constants, copyFile, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { editConfig, type InstallRequest } from './edit-config.ts';
import { entryEnv } from './entry-env.ts';
import { readConfig } from './read-config.ts';

export interface InstallOutcome {
  change: 'none' | 'created' | 'changed';
  /** The file as it was, when it was changed. */
  backup: string | null;
  /** The variables that the entry gives to the server. */
  env: Record<string, unknown>;
}

/** Puts a server into a client's configuration, or takes it out; nothing else in the file changes. */
export async function install(request: InstallRequest, now: number): Promise<InstallOutcome> {
  const { file } = request;
  const before = await readConfig(file);
  const after = editConfig(before ?? '', request);
  const env = entryEnv(after, request.client, request.name);
  if (after === (before ?? '')) return { change: 'none', backup: null, env };
  try {
    if (before === null) {
      await mkdir(dirname(file), { recursive: true });
      await replace(file, after, 0o600);
      return { change: 'created', backup: null, env };
    }
    // A link stays one: what it leads to is changed.
    const target = await realpath(file);
    const { mode } = await stat(target);
    await checkWritable(target, mode);
    const backup = await keep(target, `${file}.${stamp(now)}`);
    await replace(target, after, mode & 0o777);
    return { change: 'changed', backup, env };
  } catch (cause) {
    throw new KairosError('FILE_UNWRITABLE', `${file} cannot be written: ${(cause as Error).message}`, {
      hint: 'Print what belongs into it with --print, and put it there by hand.',
      cause,
    });
  }
}

/** A file is replaced, and whoever may write to its folder could; whoever made it read-only did not mean that. */
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
