import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { KairosError } from '../../base/errors.ts';
import { keyIdentity, readSshKey } from '../../gate/approval/ssh-key.ts';
import { APPROVAL_NAMESPACE, type ApprovalStatement, statementText } from '../../gate/approval/statement.ts';

/**
 * Signs a statement with an SSH key (a private key file, or a public one whose key is in an agent). Throws
 * KEY_UNUSABLE if it can't.
 */
export async function signApproval(statement: ApprovalStatement, keyFile: string): Promise<string> {
  const { code, stdout, stderr } = await keygen(
    ['-Y', 'sign', '-q', '-f', keyFile, '-n', APPROVAL_NAMESPACE],
    statementText(statement),
  );
  if (code === 0 && stdout.startsWith('-----BEGIN SSH SIGNATURE-----')) return stdout;
  throw new KairosError('KEY_UNUSABLE', `ssh-keygen could not sign with ${keyFile}`, {
    hint: 'Name your private key, or the public one of a key in your ssh-agent.',
    cause: new Error(stderr.trim()),
  });
}

/** The public key of a key file, private or public, as `type base64`. Throws KEY_UNUSABLE without one. */
export async function publicKeyOf(keyFile: string): Promise<string> {
  if (keyFile.endsWith('.pub')) {
    const line = await readFile(keyFile, 'utf8').catch((cause: Error) => noKey(keyFile, cause));
    const read = readSshKey(line);
    if ('problem' in read) noKey(keyFile, new Error(read.problem));
    return keyIdentity(line);
  }
  const { code, stdout, stderr } = await keygen(['-y', '-f', keyFile], '', true);
  if (code !== 0 || stdout.trim() === '') noKey(keyFile, new Error(stderr.trim()));
  return keyIdentity(stdout);
}

function noKey(keyFile: string, cause: Error): never {
  throw new KairosError('KEY_UNUSABLE', `${keyFile} contains no usable SSH key`, {
    hint: 'Name a key that ssh-keygen has made.',
    cause,
  });
}

interface KeygenResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs OpenSSH's `ssh-keygen` with a text on its standard input. `terminal` lets it ask for a passphrase or a touch of a key.
 * USAGE when it is not installed.
 */
function keygen(args: readonly string[], input: string, terminal = false): Promise<KeygenResult> {
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
