import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { type ProcessTree, signalTree } from './process-tree.ts';

/** Ctrl-Z while a command runs: how long it has lasted, and who has to know. */
export interface Suspension {
  /** Milliseconds that the command was suspended so far. */
  ms(): number;
  /** Calls back when a suspension begins and when it ends. */
  onChange(listener: (suspended: boolean) => void): void;
  /** The tree to suspend, once it is started. */
  attach(tree: ProcessTree): void;
  dispose(): void;
}

/**
 * Suspends the tree of a command together with this program on SIGTSTP, and continues both on SIGCONT. A command that shares the
 * terminal's group gets the signals itself.
 */
export function watchSuspension(): Suspension {
  let tree: ProcessTree | null = null;
  const listeners: ((suspended: boolean) => void)[] = [];
  let total = 0;
  let since: number | null = null;
  const tell = (suspended: boolean) => {
    for (const listener of listeners) listener(suspended);
  };
  const suspend = () => {
    if (since !== null) return;
    since = performance.now();
    tell(true);
    if (tree?.ownGroup) signalTree(tree, 'SIGSTOP');
    // Catching SIGTSTP has kept this program from being suspended by it.
    process.kill(process.pid, 'SIGSTOP');
  };
  const resume = () => {
    if (since === null) return;
    total += performance.now() - since;
    since = null;
    if (tree !== null) signalTree(tree, 'SIGCONT');
    tell(false);
  };
  const isKnown = 'SIGTSTP' in constants.signals;
  if (isKnown) process.on('SIGTSTP', suspend).on('SIGCONT', resume);
  return {
    ms: () => total + (since === null ? 0 : performance.now() - since),
    onChange: (listener) => listeners.push(listener),
    attach: (started) => {
      tree = started;
    },
    dispose() {
      if (isKnown) process.removeListener('SIGTSTP', suspend).removeListener('SIGCONT', resume);
    },
  };
}

/** A timer that pauses while the command is suspended. */
export function pausableTimer(action: () => void, ms: number, pause: Suspension): { clear(): void } {
  let left = ms;
  let armed = performance.now();
  let isOver = false;
  let timer = setTimeout(action, ms);
  pause.onChange((suspended) => {
    if (isOver) return;
    clearTimeout(timer);
    if (suspended) {
      left -= performance.now() - armed;
    } else {
      armed = performance.now();
      timer = setTimeout(action, Math.max(left, 0));
    }
  });
  return {
    clear() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Saves the settings of the terminal on stdin; the returned function restores them. Without a terminal it
 * does nothing.
 */
export function saveTerminal(): () => void {
  if (!process.stdin.isTTY) return () => {};
  const { stdout } = spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
  const settings = stdout?.trim();
  if (!settings) return () => {};
  return () => {
    spawnSync('stty', [settings], { stdio: ['inherit', 'ignore', 'ignore'] });
  };
}
