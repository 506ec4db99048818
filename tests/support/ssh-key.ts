import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const made = new Map<string, { secret: Buffer; line: Buffer }>();

/** Puts an SSH key without a passphrase at a path, and its public half beside it: always the same one for a name. */
export function makeSshKey(path: string): void {
  const key = made.get(basename(path));
  if (key === undefined) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path]);
    made.set(basename(path), { secret: readFileSync(path), line: readFileSync(`${path}.pub`) });
  } else {
    writeFileSync(path, key.secret, { mode: 0o600 });
    writeFileSync(`${path}.pub`, key.line);
  }
}
