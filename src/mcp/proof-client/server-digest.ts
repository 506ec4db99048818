import { canonical, sha256Hex } from '../../base/canonical.ts';
import type { ServerDefinition } from './find-server.ts';

/**
 * What trust in a server is keyed by (SPEC 8): SHA-256 over the canonical JSON of its command, arguments and the names
 * of its environment variables, as written in its file.
 */
export function serverDigest({
  command,
  args,
  env,
}: Pick<ServerDefinition, 'command' | 'args' | 'env'>): string {
  return sha256Hex(canonical({ command, args, env: Object.keys(env).sort() }));
}
