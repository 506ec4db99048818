import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Tools of the protocol's own project need a newer Node than the product; both are put into a folder of their own. */
export interface Official {
  run(bin: string, args: string[], env?: NodeJS.ProcessEnv): Promise<{ code: number; output: string }>;
}

const run = promisify(execFile);
const INSTALL_MS = 180_000;
const RUN_MS = 240_000;

/** Installs packages beside Node 22, once for a machine. Null, with a message, where that cannot be had. */
export async function official(name: string, packages: string[]): Promise<Official | null> {
  const folder = join(tmpdir(), `kairos-official-${name}`);
  const bin = (program: string) => join(folder, 'node_modules', '.bin', program);
  try {
    if (!existsSync(join(folder, 'ready'))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
      const args = ['install', '--no-audit', '--no-fund', '--no-save', 'node@22', ...packages];
      await run('npm', args, { cwd: folder, timeout: INSTALL_MS });
      writeFileSync(join(folder, 'ready'), '');
    }
    await run(bin('node'), ['--version']);
  } catch (error) {
    console.warn(`skipped: ${name} on Node 22 cannot be had (${(error as Error).message.split('\n')[0]})`);
    return null;
  }
  return {
    run: async (program, args, env = process.env) => {
      // The tools start `node` by its name; it has to be the newer one.
      const path = `${join(folder, 'node_modules', '.bin')}:${env.PATH ?? ''}`;
      const options = { timeout: RUN_MS, maxBuffer: 1 << 26, env: { ...env, PATH: path }, cwd: folder };
      return run(bin('node'), [bin(program), ...args], options).then(
        ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
        (error: { code?: number; stdout?: string; stderr?: string }) => ({
          code: typeof error.code === 'number' ? error.code : -1,
          output: `${error.stdout ?? ''}${error.stderr ?? ''}`,
        }),
      );
    },
  };
}
