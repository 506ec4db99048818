import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A living process; what has ended and only waits to be reaped is not listed. */
export interface ProcessRow {
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
