import { spawn } from 'node:child_process';
import { KairosError } from '../../base/errors.ts';

export interface KeygenResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs OpenSSH's `ssh-keygen` with a text on its standard input. `terminal` lets it ask for a passphrase or a touch of a key.
 * USAGE when it is not installed.
 */
export function keygen(args: readonly string[], input: string, terminal = false): Promise<KeygenResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('ssh-keygen', args, { stdio: ['pipe', 'pipe', terminal ? 'inherit' : 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', (cause) =>
      reject(
        new KairosError('USAGE', 'ssh-keygen cannot be started', {
          hint: 'Approvals are signed with OpenSSH 8.2 or newer; install it.',
          cause,
        }),
      ),
    );
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    // It may end without reading; its exit code shows that.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
