// Shared by the benchmarks: whole-process timings in turn, so that a change of the machine's speed affects both sides.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const BIN = join(ROOT, 'bin', 'kairos.js');

export function machine() {
  return `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Runs every command once per round, in turn, after one warm-up round; wall milliseconds by name. */
export function interleave(commands, rounds, options = {}) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(commands)) {
      const begun = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', ...options });
      const ms = performance.now() - begun;
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      if (round >= 0) times[name].push(ms);
    }
  }
  return times;
}

/** A separate home for the commands, removed at the end. */
export function withHome(work) {
  const home = mkdtempSync(join(tmpdir(), 'kairos-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    KAIROS_DATA_DIR: join(home, 'data'),
    KAIROS_CONFIG_DIR: join(home, 'config'),
  };
  const clean = () => rmSync(home, { recursive: true, force: true });
  try {
    return work({ home, env });
  } finally {
    clean();
  }
}

export function row(name, value) {
  console.log(`${name.padEnd(44)} ${value}`);
}
