import { KairosError } from '../../base/errors.ts';
import { type ConfigFile, type ConfigPlaces, configFiles, isObject, readServers } from './config-files.ts';

/** How to start a stdio server, as written in its file: variables are not expanded. */
export interface ServerDefinition {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Relative to the folder; null for the folder itself. */
  cwd: string | null;
}

export interface FoundServer {
  definition: ServerDefinition;
  /** The file that won. */
  file: string;
  /** A server of a `project` file needs separate trust before it starts. */
  scope: 'project' | 'user';
  /** Where it is started, and what `${workspaceFolder}` stands for. */
  folder: string;
  /** Other files that name a server so, in order; they lost. */
  alsoIn: string[];
}

/**
 * Finds an MCP server by name in the configuration files that clients already have. NOT_FOUND lists the known ones;
 * INVALID_INPUT when it is not one that can be started (reached over HTTP, disabled, incomplete).
 */
export async function findServer(name: string, places: ConfigPlaces): Promise<FoundServer> {
  const known = new Set<string>();
  let winner: { file: ConfigFile; entry: unknown } | undefined;
  const alsoIn: string[] = [];
  const files = await configFiles(places);
  for (const file of files) {
    // After it is found, a broken file with lower precedence doesn't matter.
    const servers =
      winner === undefined ? await readServers(file) : await readServers(file).catch(() => null);
    if (servers === null) continue;
    for (const server of Object.keys(servers)) known.add(server);
    if (!Object.hasOwn(servers, name)) continue;
    if (winner === undefined) winner = { file, entry: servers[name] };
    else alsoIn.push(file.path);
  }
  if (winner === undefined) {
    const names = [...known].sort();
    throw new KairosError('NOT_FOUND', `no MCP server is configured under the name ${JSON.stringify(name)}`, {
      hint:
        names.length > 0
          ? `Known servers: ${names.join(', ')}.`
          : `Name it in one of: ${files.map(({ path }) => path).join(', ')}.`,
    });
  }
  const { file, entry } = winner;
  return {
    definition: readDefinition(name, entry, file.path),
    file: file.path,
    scope: file.scope,
    folder: file.folder,
    alsoIn,
  };
}

function readDefinition(name: string, entry: unknown, path: string): ServerDefinition {
  const refuse = (reason: string, hint: string) =>
    new KairosError('INVALID_INPUT', `the MCP server ${JSON.stringify(name)} of ${path} ${reason}`, { hint });
  if (!isObject(entry)) throw refuse('is not an object', 'Give it a command and args.');
  const { command, args = [], env = {}, cwd = null, type, url, envFile, disabled } = entry;
  if (url !== undefined || (type !== undefined && type !== 'stdio')) {
    throw refuse(
      'is reached over HTTP',
      'kairos starts servers over stdio only: name one that has a command.',
    );
  }
  if (disabled === true) throw refuse('is disabled', 'Enable it there, or name another one.');
  if (envFile !== undefined)
    throw refuse('reads an envFile', 'kairos does not: list the variables under env.');
  if (typeof command !== 'string' || command === '')
    throw refuse('has no command', 'Give it a command and args.');
  if (!isStrings(args))
    throw refuse('has args that are not a list of texts', 'Write each argument as a text.');
  if (cwd !== null && typeof cwd !== 'string')
    throw refuse('has a cwd that is not a text', 'Write it as a text.');
  const variables = isObject(env)
    ? Object.entries(env).map(([key, value]) => [key, scalarText(value)] as const)
    : [null];
  if (
    !variables.every(
      (variable): variable is readonly [string, string] => variable !== null && variable[1] !== null,
    )
  ) {
    throw refuse('has an env that does not map names to texts', 'Write each value as a text.');
  }
  return { name, command, args, env: Object.fromEntries(variables), cwd };
}

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Numbers and switches are often written without quotes. */
function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
