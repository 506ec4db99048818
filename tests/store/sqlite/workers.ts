import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Bundles a worker (this folder's, if none is named) to where the native module is found. Returns the file's path. */
export async function bundleWorker(entry = new URL('worker.ts', import.meta.url)): Promise<string> {
  const folder = `${ROOT}node_modules/.cache/kairos-tests`;
  const outfile = `${folder}/store-worker-${process.pid}.mjs`;
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.17',
    external: ['@photostructure/sqlite'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}

export function removeWorker(file: string): void {
  rmSync(file, { force: true });
}

export interface WorkerOptions {
  /** Run as this user; needs root. */
  uid?: number | undefined;
  onLine?: (line: Record<string, unknown>, child: ChildProcess) => void;
}

/** Runs a task of the worker to its end. */
export async function runWorker(
  file: string,
  args: readonly string[],
  { uid, onLine }: WorkerOptions = {},
): Promise<{ code: number | null; signal: string | null; lines: Record<string, unknown>[]; stderr: string }> {
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'pipe'], ...identity });
  const lines: Record<string, unknown>[] = [];
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const value = JSON.parse(line) as Record<string, unknown>;
    lines.push(value);
    onLine?.(value, child);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, lines, stderr };
}
