// Shared by the benchmarks: whole-process timings in turn, so that a change of the machine's speed affects both sides.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
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

/** A separate home for commands. */
export function makeHome() {
  const home = mkdtempSync(join(tmpdir(), 'kairos-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    KAIROS_DATA_DIR: join(home, 'data'),
    KAIROS_CONFIG_DIR: join(home, 'config'),
  };
  return { home, env };
}

/** The same, removed at the end. */
export function withHome(work) {
  const made = makeHome();
  const clean = () => rmSync(made.home, { recursive: true, force: true });
  try {
    return work(made);
  } finally {
    clean();
  }
}

/** Operations over a store, as an agent that claims its proofs calls them. */
export function contextOver(store, { key, commandLine, caller, ...more }) {
  const claimed = ['shell', 'mcp', 'user_input', 'comment', 'sampling'].map((type) => [type, 'claimed']);
  return {
    store,
    trust: {
      get: async () => null,
      list: async () => [],
      grant: async () => undefined,
      revoke: async () => false,
    },
    sealingKey: async () => key,
    clock: Date.now,
    random: randomBytes,
    redact: (text) => text,
    commandLine,
    caller: { session: null, space: 'default', maximumAssurance: Object.fromEntries(claimed), ...caller },
    requireTrust: false,
    allowWeaken: true,
    readOnly: false,
    ...more,
  };
}

export function row(name, value) {
  console.log(`${name.padEnd(44)} ${value}`);
}
