import { readFile } from 'node:fs/promises';
import { KairosError } from '../../base/errors.ts';
import { keyIdentity, readSshKey } from '../../gate/approval/ssh-key.ts';
import { APPROVAL_NAMESPACE, type ApprovalStatement, statementText } from '../../gate/approval/statement.ts';
import { keygen } from './keygen.ts';

/**
 * Signs a statement with an SSH key (a private key file, or a public one whose key is in an agent). Throws
 * KEY_UNUSABLE if it can't.
 */
export async function signStatement(statement: ApprovalStatement, keyFile: string): Promise<string> {
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
