import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { programName } from '../../base/command-line.ts';
import { KairosError } from '../../base/errors.ts';
import { keyIdentity, readSshKey, type SshKey, WireReader } from '../../gate/approval/ssh-key.ts';
import { APPROVAL_NAMESPACE, type ApprovalStatement, statementText } from '../../gate/approval/statement.ts';
import type { HeldKey } from '../../ledger/seal.ts';

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
    hint: 'Name a key that ssh-keygen has made. Without a terminal, a key with a passphrase needs an ssh-agent and --key FILE.pub.',
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

/** The ed25519 key of a `.pub` line, held by the ssh-agent at `socket`. Throws KEY_UNUSABLE for any other key. */
export function agentKey(line: string, socket: string | undefined): HeldKey {
  const key = readEd25519(line);
  return { publicKey: key.publicKey, sign: (bytes) => askToSign(requireSocket(socket), key.blob, bytes) };
}

/** The ed25519 keys that an agent has, as `.pub` lines. */
export async function agentKeys(socket: string | undefined): Promise<string[]> {
  const answer = new WireReader(await ask(requireSocket(socket), Buffer.from([REQUEST_IDENTITIES])));
  if (answer.take(1)[0] !== IDENTITIES_ANSWER) throw refused('it did not list its keys');
  const lines: string[] = [];
  for (let left = answer.uint32(); left > 0; left -= 1) {
    const [blob, comment] = [answer.string(), answer.string().toString('utf8')];
    if (new WireReader(blob).text() === 'ssh-ed25519')
      lines.push(`ssh-ed25519 ${blob.toString('base64')} ${comment}`.trim());
  }
  return lines;
}

/** The ed25519 key of a `.pub` line. Throws KEY_UNUSABLE. */
export function readEd25519(line: string): SshKey {
  const key = readSshKey(line);
  if ('problem' in key) throw unusable(`the SSH key can't be used: ${key.problem}`);
  if (key.type === 'ssh-ed25519') return key;
  throw unusable(
    `an SSH key of type ${key.type} can't seal; only ssh-ed25519 makes the signatures of a seal`,
  );
}

// draft-ietf-sshm-ssh-agent
const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;
const TIMEOUT_MS = 60_000;
const MAX_ANSWER = 1 << 20;

async function askToSign(socket: string, blob: Buffer, bytes: Buffer): Promise<Buffer> {
  const request = Buffer.concat([
    Buffer.from([SIGN_REQUEST]),
    lengthPrefixed(blob),
    lengthPrefixed(bytes),
    Buffer.alloc(4),
  ]);
  const answer = new WireReader(await ask(socket, request));
  if (answer.take(1)[0] !== SIGN_RESPONSE) throw refused('it does not have the key, or did not want to sign');
  const signature = new WireReader(answer.string());
  if (signature.text() !== 'ssh-ed25519') throw refused('its signature is of another kind');
  return signature.string();
}

/** One request, one answer, without their lengths. */
function ask(socket: string, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(socket);
    let received = Buffer.alloc(0);
    const fail = (why: string) => {
      connection.destroy();
      reject(refused(why));
    };
    connection.setTimeout(TIMEOUT_MS, () => fail('it did not answer within a minute'));
    connection.on('connect', () => connection.write(lengthPrefixed(request)));
    connection.on('error', (error) => fail(error.message));
    connection.on('close', () => fail('it closed the connection'));
    connection.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > MAX_ANSWER) return fail('its answer is too long');
      if (received.length < 4 || received.length < 4 + received.readUInt32BE()) return;
      resolve(received.subarray(4, 4 + received.readUInt32BE()));
      connection.destroy();
    });
  });
}

function lengthPrefixed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function requireSocket(socket: string | undefined): string {
  if (socket) return socket;
  throw unusable('the key is held by ssh-agent, and SSH_AUTH_SOCK names no agent');
}

function refused(why: string): KairosError {
  return unusable(`ssh-agent did not sign: ${why}`);
}

function unusable(message: string): KairosError {
  return new KairosError('KEY_UNUSABLE', message, {
    hint: `Start ssh-agent and add the key with ssh-add, or choose another key with ${programName()} key import. If that key is lost, add --lost to key import or key rotate.`,
  });
}
