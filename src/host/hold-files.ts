import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { VERSION } from '../base/package-root.ts';
import type { HoldOrigin, ListedHold } from '../gate/holds.ts';
import type { Environment, UserFolders } from './files/paths.ts';
import { isCode, replaceFile } from './files/private-files.ts';
import { TRUSTED_HOLDS } from './trust/trust-store.ts';

/** The name of a hold list in the user's or the machine's configuration folder. */
export const HOLD_FILE = 'hold.yaml';

/** A hold list as read. `unreadable`: it is there and can't be used, so what its text names is held. */
export interface HoldList {
  holds: ListedHold[];
  unreadable: { path: string; reason: string; text: string }[];
  /** The lists that are there. */
  files: string[];
}

type Folders = Pick<UserFolders, 'config' | 'data'>;

/** The hold lists that count for a user: of the machine, of the user, and of trusted protocols. */
export async function loadHolds(folders: Folders, env: Environment): Promise<HoldList> {
  const paths: [string, HoldOrigin][] = [
    [join(machineFolder(env), HOLD_FILE), 'machine'],
    [join(folders.config, HOLD_FILE), 'user'],
    [trustedHolds(folders), 'protocol'],
  ];
  const list: HoldList = { holds: [], unreadable: [], files: [] };
  const sources: Source[] = [];
  for (const [path, origin] of paths) {
    try {
      const text = readList(path);
      if (text === null) continue;
      sources.push({ path, origin, text });
    } catch (error) {
      list.unreadable.push({ path, reason: (error as Error).message, text: '*' });
    }
    list.files.push(path);
  }
  if (sources.length === 0) return list;
  const compiled = readCompiled(folders, sources);
  if (compiled !== null) return { ...list, holds: compiled };
  for (const source of sources) await addSource(list, source);
  if (list.unreadable.length === 0) await keepCompiled(folders, sources, list.holds);
  return list;
}

/** Loads hold lists again only after one of their files has changed: for a process that checks many calls. */
export function holdLoader(folders: Folders, env: Environment): () => Promise<HoldList> {
  const watched = [
    join(machineFolder(env), HOLD_FILE),
    join(folders.config, HOLD_FILE),
    trustedHolds(folders),
  ];
  let known: { mark: string; list: Promise<HoldList> } | null = null;
  return () => {
    const mark = watched.map(markOf).join(' ');
    if (known?.mark !== mark) known = { mark, list: loadHolds(folders, env) };
    return known.list;
  };
}

function markOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined
    ? '-'
    : `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.mode}`;
}

interface Source {
  path: string;
  origin: HoldOrigin;
  text: string;
}

/** The lists of the last check, since reading YAML takes longer than a hook may. Counts only for the same texts. */
const compiledPath = ({ data }: Pick<UserFolders, 'data'>) => join(data, 'holds.json');

function readCompiled(folders: Folders, sources: readonly Source[]): ListedHold[] | null {
  try {
    const text = readList(compiledPath(folders));
    const kept = JSON.parse(text ?? 'null') as {
      version: string;
      sources: Source[];
      holds: ListedHold[];
    } | null;
    if (kept?.version !== VERSION) return null;
    return JSON.stringify(kept.sources) === JSON.stringify(sources) ? kept.holds : null;
  } catch {
    return null;
  }
}

/** Best effort: without the copy the next hook reads the lists again. */
async function keepCompiled(
  folders: Folders,
  sources: readonly Source[],
  holds: readonly ListedHold[],
): Promise<void> {
  try {
    await mkdir(folders.data, { recursive: true, mode: 0o700 });
    await replaceFile(compiledPath(folders), JSON.stringify({ version: VERSION, sources, holds }));
  } catch {
    // A data folder that can't be written to.
  }
}

/** Where an administrator configures kairos for every user of a machine. */
export function machineFolder(env: Environment): string {
  if (env.KAIROS_MACHINE_DIR) return resolve(env.KAIROS_MACHINE_DIR);
  if (process.platform === 'win32') return join(env.ProgramData || 'C:\\ProgramData', 'kairos');
  return '/etc/kairos';
}

async function addSource(list: HoldList, { path, origin, text }: Source): Promise<void> {
  try {
    const { readHoldList } = await import('../protocol/holds.ts');
    for (const { source, value } of await listsIn(path, origin, text)) {
      const reading = readHoldList(value);
      if (!reading.ok) throw new Error(reading.problems.join('; '));
      list.holds.push(...reading.holds.map((hold) => ({ hold, origin, source })));
    }
  } catch (error) {
    list.unreadable.push({ path, reason: (error as Error).message, text });
  }
}

/** A file is one list; the file of the trusted protocols has one for each of them. */
async function listsIn(path: string, origin: HoldOrigin, text: string) {
  if (origin === 'protocol') {
    const lists = JSON.parse(text) as { digest: string; holds: unknown }[];
    return lists.map(({ digest, holds }) => ({ source: digest, value: { holds } as unknown }));
  }
  const { parseYaml } = await import('../formats/yaml.ts');
  return [{ source: path, value: parseYaml(text) as unknown }];
}

const MAX_BYTES = 1 << 20;

/**
 * The text of a list of the user or of root; null for a missing one. Throws Error with the reason. Synchronous: for such a small file
 * that is faster than to start the threads that read others.
 */
function readList(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
    throw isCode(error, 'ELOOP') ? new Error('it is a symbolic link') : error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MAX_BYTES) throw new Error('it is larger than 1 MiB');
    const user = process.getuid?.();
    if (user !== undefined && stats.uid !== user && stats.uid !== 0)
      throw new Error('it belongs to another user');
    if (user !== undefined && (stats.mode & 0o022) !== 0) throw new Error('others can write to it');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

const trustedHolds = ({ data }: Pick<UserFolders, 'data'>) => join(data, 'trust', TRUSTED_HOLDS);

/** What kairos knows of one session of a client. */
export interface SessionNote {
  /** The runs that the session began, oldest first. */
  runs: string[];
  /** How often the agent was sent on without progress, by run. */
  sent: Record<string, { progress: string; times: number }>;
}

function sessionPath({ data }: Pick<UserFolders, 'data'>, client: string, session: string): string {
  const name = /^[\w-]{1,80}$/.test(session)
    ? session
    : `x${Buffer.from(session).toString('hex').slice(0, 160)}`;
  return join(data, 'sessions', `${client}-${name}.json`);
}

/** The note of a session; null for a session without a run. */
export async function readSession(
  folders: Pick<UserFolders, 'data'>,
  client: string,
  session: string,
): Promise<SessionNote | null> {
  try {
    const note = JSON.parse(readFileSync(sessionPath(folders, client, session), 'utf8')) as SessionNote;
    return { runs: note.runs, sent: note.sent ?? {} };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

export async function writeSession(
  folders: Pick<UserFolders, 'data'>,
  client: string,
  session: string,
  note: SessionNote,
): Promise<void> {
  await mkdir(join(folders.data, 'sessions'), { recursive: true, mode: 0o700 });
  await replaceFile(sessionPath(folders, client, session), `${JSON.stringify(note)}\n`);
}
