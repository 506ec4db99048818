import { spawnSync } from 'node:child_process';

/** Remembers the settings of the terminal on stdin; the returned function puts them back. Without one it does nothing. */
export function saveTerminal(): () => void {
  if (!process.stdin.isTTY) return () => {};
  const { stdout } = spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
  const settings = stdout?.trim();
  if (!settings) return () => {};
  return () => {
    spawnSync('stty', [settings], { stdio: ['inherit', 'ignore', 'ignore'] });
  };
}
