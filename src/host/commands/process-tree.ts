import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Carried by every process of a tree, so that one that left group, session and parent is still known. */
const MARK = 'KAIROS_RUN_MARK';

/** A started program and everything that it starts. */
export interface ProcessTree {
  child: ChildProcess;
  pid: number;
  mark: string;
  /** The process leads a process group, whose id is `pid`. */
  ownGroup: boolean;
  /** The first two generations are a sandbox around the program, which goes when the program goes. */
  wrapped: boolean;
}

interface TreeOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdio: SpawnOptions['stdio'];
  ownGroup: boolean;
  wrapped?: boolean;
}

/** Starts a program as the root of a tree. Rejects with the system's error when it cannot be started. */
export async function startTree(
  file: string,
  args: readonly string[],
  options: TreeOptions,
): Promise<ProcessTree> {
  const own = randomBytes(12).toString('hex');
  const outer = options.env[MARK];
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...options.env, [MARK]: outer === undefined ? own : `${outer}:${own}` },
    stdio: options.stdio,
    detached: options.ownGroup,
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.on('error', () => {}); // a signal that could not be sent is seen by what stays alive
  return {
    child,
    pid: child.pid as number,
    mark: own,
    ownGroup: options.ownGroup,
    wrapped: options.wrapped ?? false,
  };
}

/**
 * The living processes of a tree: its group, its session, processes with its mark, and the descendants of
 * these.
 */
export function treeMembers(tree: ProcessTree, table: readonly ProcessRow[] = processTable()): ProcessRow[] {
  const rows = table.filter((row) => row.pid !== process.pid);
  const members = new Map<number, ProcessRow>();
  const ours = (row: ProcessRow) =>
    row.pid === tree.pid ||
    (tree.ownGroup && (row.pgid === tree.pid || row.session === tree.pid)) ||
    (environmentVariable(row.pid, MARK)?.split(':').includes(tree.mark) ?? false);
  for (const row of rows) if (ours(row)) members.set(row.pid, row);
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (!members.has(row.pid) && members.has(row.ppid)) {
        members.set(row.pid, row);
        grown = true;
      }
    }
  }
  return [...members.values()];
}

interface EndOptions {
  /** Milliseconds between TERM and KILL. */
  graceMs: number;
  /** Aborted: the grace is over. */
  hurry?: AbortSignal;
}

const POLL_MS = 40;
/** After KILL, only processes in the kernel and other users' processes remain. */
const KILL_PATIENCE_MS = 1500;

/**
 * Ends a whole tree: TERM, then KILL of what is left after the grace period, searched again each time because
 * it may still fork. Returns the pids that could not be ended; always returns.
 */
export async function endTree(tree: ProcessTree, { graceMs, hurry }: EndOptions): Promise<number[]> {
  const known = new Map<number, ProcessRow>();
  const termed = new Set<number>();
  for (const deadline = performance.now() + graceMs; performance.now() < deadline && !hurry?.aborted; ) {
    const left = stillThere(tree, known);
    if (left.length === 0) return [];
    term(tree, left, termed);
    await delay(POLL_MS, undefined, hurry === undefined ? {} : { signal: hurry }).catch(() => {});
  }
  for (const deadline = performance.now() + KILL_PATIENCE_MS; ; ) {
    const left = stillThere(tree, known);
    if (left.length === 0 || performance.now() > deadline) return left.map((row) => row.pid);
    kill(tree, left);
    await delay(POLL_MS / 2);
  }
}

/** Sends a signal to every living process of a tree. */
export function signalTree(tree: ProcessTree, signal: NodeJS.Signals): void {
  for (const { pid } of treeMembers(tree)) send(pid, signal);
}

/** KILL without waiting, for the moment in which the program itself ends. */
export function killTreeNow(tree: ProcessTree): void {
  kill(tree, treeMembers(tree));
}

/** The members of now, and those of before that have lost every tie to the tree since. */
function stillThere(tree: ProcessTree, known: Map<number, ProcessRow>): ProcessRow[] {
  const table = processTable();
  for (const row of treeMembers(tree, table)) known.set(row.pid, row);
  const alive = new Map(table.map((row) => [row.pid, row.startedAt]));
  for (const [pid, row] of known) if (alive.get(pid) !== row.startedAt) known.delete(pid);
  return [...known.values()];
}

function term(tree: ProcessTree, members: readonly ProcessRow[], termed: Set<number>): void {
  const sandbox = tree.wrapped
    ? new Set(members.filter((row) => row.pid === tree.pid || row.ppid === tree.pid).map((row) => row.pid))
    : new Set<number>();
  for (const { pid } of members) {
    if (termed.has(pid) || sandbox.has(pid)) continue;
    termed.add(pid);
    send(pid, 'SIGTERM');
    send(pid, 'SIGCONT'); // a stopped process would not receive it
  }
}

function kill(tree: ProcessTree, members: readonly ProcessRow[]): void {
  if (tree.ownGroup && members.some((row) => row.pgid === tree.pid)) send(-tree.pid, 'SIGKILL');
  for (const { pid } of members) send(pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to another user.
  }
}

/** A living process; what has ended and only waits to be reaped is not listed. */
interface ProcessRow {
  pid: number;
  ppid: number;
  pgid: number;
  /** Session id; 0 where it is not known. */
  session: number;
  /** Distinguishes a process from a later one with the same pid; empty where unknown. */
  startedAt: string;
}

/** Every living process that can be seen: from /proc on Linux, from `ps` elsewhere. */
export function processTable(): ProcessRow[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** One variable of a process's environment from its start. Linux only; null when unreadable. */
export function environmentVariable(pid: number, name: string): string | null {
  if (process.platform !== 'linux') return null;
  const environment = readOrNull(`/proc/${pid}/environ`);
  const line = environment?.split('\0').find((entry) => entry.startsWith(`${name}=`));
  return line === undefined ? null : line.slice(name.length + 1);
}

function fromProc(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = readOrNull(`/proc/${pid}/stat`);
      return stat === null ? [] : parseStat(stat);
    });
}

/** proc_pid_stat(5). The command's name is in brackets and may itself contain brackets and blanks. */
export function parseStat(stat: string): ProcessRow[] {
  const pid = Number.parseInt(stat, 10);
  const [state, ppid, pgid, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return [];
  return [
    { pid, ppid: Number(ppid), pgid: Number(pgid), session: Number(session), startedAt: rest[15] ?? '' },
  ];
}

function fromPs(): ProcessRow[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state='], { encoding: 'utf8' });
  return parsePs(stdout ?? '');
}

/** The lines of `ps -A -o pid=,ppid=,pgid=,state=`. */
export function parsePs(output: string): ProcessRow[] {
  return output.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, state = 'Z'] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), session: 0, startedAt: '' }];
  });
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // gone meanwhile, or another user's
  }
}
