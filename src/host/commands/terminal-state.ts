import { spawnSync } from 'node:child_process';

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
