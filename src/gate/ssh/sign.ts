import { KairosError } from '../../base/errors.ts';
import { keyIdentity } from '../approval/key.ts';
import { APPROVAL_NAMESPACE, type ApprovalStatement, statementText } from '../approval/statement.ts';
import { keygen } from './keygen.ts';

/** Signs a statement with an SSH key (a private key file, or a public one whose key an agent holds). KEY_UNUSABLE if it cannot. */
export async function signStatement(statement: ApprovalStatement, keyFile: string): Promise<string> {
  const { code, stdout, stderr } = await keygen(
    ['-Y', 'sign', '-q', '-f', keyFile, '-n', APPROVAL_NAMESPACE],
    statementText(statement),
  );
  if (code === 0 && stdout.startsWith('-----BEGIN SSH SIGNATURE-----')) return stdout;
  throw new KairosError('KEY_UNUSABLE', `ssh-keygen could not sign with ${keyFile}`, {
    hint: 'Name your private key, or the public one of a key that your ssh-agent holds.',
    cause: new Error(stderr.trim()),
  });
}

/** The public key of a key file, `type base64`. */
export async function publicKeyOf(keyFile: string): Promise<string> {
  const { code, stdout, stderr } = keyFile.endsWith('.pub')
    ? await keygen(['-e', '-m', 'RFC4716', '-f', keyFile], '').then(async (exported) =>
        exported.code === 0 ? keygen(['-i', '-m', 'RFC4716', '-f', '/dev/stdin'], exported.stdout) : exported,
      )
    : await keygen(['-y', '-f', keyFile], '', true);
  if (code === 0 && stdout.trim() !== '') return keyIdentity(stdout);
  throw new KairosError('KEY_UNUSABLE', `${keyFile} holds no SSH key that can be used`, {
    hint: 'Name a key that ssh-keygen has made.',
    cause: new Error(stderr.trim()),
  });
}
