import { canonical, sha256Hex } from '../../base/canonical.ts';
import type { ServerDefinition } from './find-server.ts';

/**
 * What trust in a server is keyed by: SHA-256 over the canonical JSON of its definition as written in its file, so
 * before variables are filled in. SPEC 8 asks for command, arguments and environment names; the values and the folder
 * count too, since `NODE_OPTIONS` or another folder would make another program of the same command.
 */
export function serverDigest({
  command,
  args,
  env,
  cwd,
}: Pick<ServerDefinition, 'command' | 'args' | 'env' | 'cwd'>): string {
  return sha256Hex(canonical({ command, args, env, cwd }));
}
