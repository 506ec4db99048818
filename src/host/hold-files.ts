import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { VERSION } from '../base/package-root.ts';
import type { HoldOrigin, ListedHold } from '../gate/holds.ts';
import { type Environment, realPathOf, type UserFolders } from './files/paths.ts';
import { isCode, replaceFile } from './files/private-files.ts';
import { TRUSTED_HOLDS } from './trust/trust-store.ts';

/** The name of a hold list in the user's or the machine's configuration folder. */
export const HOLD_FILE = 'hold.yaml';

/** A hold list as read. `unreadable`: it is there and can't be used, so what its text names is held; `*`: everything. */
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
      const read = readList(path) ?? readMisnamed(path);
      if (read === null) continue;
      if (read.unsafe === null) sources.push({ path, origin, text: read.text });
      else list.unreadable.push({ path, reason: read.unsafe, text: read.text });
    } catch (error) {
      list.unreadable.push({ path, reason: (error as Error).message, text: '' });
    }
    list.files.push(path, ...[realPathOf(path)].filter((real) => real !== path));
  }
  if (list.files.length === 0) return list;
  const compiled = list.unreadable.length > 0 ? null : readCompiled(folders, sources);
  if (compiled !== null) return { ...list, holds: compiled };
  for (const source of sources) await addSource(list, source);
  for (const unreadable of list.unreadable) addLastKnown(folders, unreadable);
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

/** The text of `hold.yml`, which isn't a list, but nothing that it names runs until it has the right name. */
function readMisnamed(path: string): ReturnType<typeof readList> {
  const read = path.endsWith('.yaml') ? readList(path.replace(/yaml$/, 'yml')) : null;
  return read === null ? null : { text: read.text, unsafe: `its name must be ${HOLD_FILE}` };
}

/** The lists of the last check, since reading YAML takes longer than a hook may. Counts only for the same texts. */
const compiledPath = ({ data }: Pick<UserFolders, 'data'>) => join(data, 'holds.json');

interface Compiled {
  version: string;
  sources: Source[];
  holds: ListedHold[];
}

function keptCopy(folders: Folders): Compiled | null {
  try {
    const read = readList(compiledPath(folders));
    return read === null || read.unsafe !== null ? null : (JSON.parse(read.text) as Compiled);
  } catch {
    return null;
  }
}

function readCompiled(folders: Folders, sources: readonly Source[]): ListedHold[] | null {
  const kept = keptCopy(folders);
  const isSame = kept?.version === VERSION && JSON.stringify(kept.sources) === JSON.stringify(sources);
  return isSame ? kept.holds : null;
}

/** Of a list that is too large or no text, what its bytes name, and what it named when it could be used last; else everything. */
function addLastKnown(folders: Folders, unreadable: HoldList['unreadable'][number]): void {
  const { path, text } = unreadable;
  if (text !== '' && text.length <= MAX_BYTES && !/[\0\ufffd]/.test(text)) return;
  const last = keptCopy(folders)?.sources.find((source) => source.path === path)?.text ?? '';
  // UTF-16 has a zero byte in each letter.
  const texts = [text.replace(/[\0\ufffd]/g, ''), text.replace(/[\0\ufffd]+/g, '\n'), last];
  unreadable.text = texts.filter((each) => /\b(?:command|tool)\b/.test(each)).join('\n') || '*';
}

/** Without the copy, the next hook reads the lists again. */
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

/** Of a list, and of one whose names count although it is too large. */
const [MAX_BYTES, MAX_NAMED] = [1 << 20, 8 << 20];

/**
 * The text of a list; null for a missing one. `unsafe`: why it can't be relied on, since others could have changed it. Throws
 * Error with the reason. Synchronous: for such a small file that is faster than to start the threads that read others.
 */
function readList(path: string): { text: string; unsafe: string | null } | null {
  let file: number;
  try {
    // Making an error for each missing list is slow.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isCode(error, 'ENOTDIR')) return null;
    if (!isCode(error, 'ENOENT')) throw error;
    throw new Error('it is a link to a file that does not exist');
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    const large = stats.size > MAX_BYTES ? 'it is larger than 1 MiB' : null;
    if (large !== null && stats.size > MAX_NAMED) throw new Error(large);
    const user = process.getuid?.();
    const isForeign = user !== undefined && stats.uid !== user && stats.uid !== 0;
    const isOpen = user !== undefined && (stats.mode & 0o022) !== 0;
    const unsafe = isForeign ? 'it belongs to another user' : isOpen ? 'others can write to it' : large;
    return { text: readFileSync(file, 'utf8'), unsafe };
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
