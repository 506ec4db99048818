import { basename, resolve, sep } from 'node:path';
import { canonical, sha256Hex } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import type { NamedServer } from '../../gate/input.ts';
import { commandEnvironment } from '../commands/shell-step.ts';
import { homeFolder } from '../files/paths.ts';
import { type FoundServer, findServer, type ServerDefinition } from './find-server.ts';

/** How a server is started, with everything filled in. */
export interface ServerStart {
  command: string;
  args: string[];
  /** The whole environment: the allowlist of commands and what its file sets. */
  env: Record<string, string>;
  cwd: string;
}

/**
 * Fills in `${NAME}`, `${env:NAME}`, `${NAME:-default}`, `${workspaceFolder}`, `${workspaceFolderBasename}`,
 * `${userHome}`, `${pathSeparator}` and `${/}`. INVALID_INPUT for a variable that is not set and for anything else.
 */
export function resolveServer(
  server: FoundServer,
  env: Readonly<Record<string, string | undefined>>,
): ServerStart {
  const { definition, folder, file } = server;
  const known: Record<string, string> = {
    workspaceFolder: folder,
    workspaceFolderBasename: basename(folder),
    userHome: homeFolder(env),
    pathSeparator: sep,
    '/': sep,
  };
  const refuse = (piece: string, reason: string, hint: string) =>
    new KairosError(
      'INVALID_INPUT',
      `the MCP server ${JSON.stringify(definition.name)} of ${file} ${reason}: ${piece}`,
      { hint },
    );

  const fill = (text: string) =>
    text.replace(/\$\{([^}]*)\}/g, (piece, inner: string) => {
      if (Object.hasOwn(known, inner)) return known[inner] as string;
      const variable = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner);
      if (variable === null) {
        throw refuse(
          piece,
          'needs what only its own client can fill in',
          'Put the value into an environment variable and name that.',
        );
      }
      const [, name = '', fallback] = variable;
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      // A default replaces an empty value, as in a shell.
      const filled = fallback === undefined ? value : value || fallback;
      if (filled === undefined) throw refuse(piece, 'needs a variable that is not set', `Set ${name}.`);
      return filled;
    });

  return {
    command: fill(definition.command),
    args: definition.args.map(fill),
    env: {
      ...commandEnvironment(env).env,
      ...Object.fromEntries(Object.entries(definition.env).map(([name, value]) => [name, fill(value)])),
    },
    cwd: resolve(folder, definition.cwd === null ? '.' : fill(definition.cwd)),
  };
}

/** What an approver sees of a server, and approvals bind; null if no server of this name can be started. */
export async function namedServer(
  name: string,
  places: Parameters<typeof findServer>[1],
): Promise<NamedServer | null> {
  const found = await findServer(name, places).catch(() => null);
  if (found === null) return null;
  const { definition, file } = found;
  const { command, args, env, cwd } = definition;
  const environment = Object.keys(env);
  return { command, arguments: args, environment, directory: cwd, file, digest: serverDigest(definition) };
}

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
