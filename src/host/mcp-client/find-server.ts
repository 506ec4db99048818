import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { homeFolder } from '../files/paths.ts';

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

/** Where to look: the run's directory, and the environment that names the user's folders. */
interface ConfigPlaces {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** A file with the servers of MCP clients, and the name of the key that contains them. */
interface ConfigFile {
  path: string;
  key: 'mcpServers' | 'servers';
  /** A project's files need separate trust. */
  scope: 'project' | 'user';
  /** The project's folder; for the user's own files, where the run works. */
  folder: string;
}

/**
 * In order of precedence: the project's files, from `cwd` up to the top of its repository (only `cwd` outside
 * of one), then the user's. The files may be missing.
 */
export async function configFiles({ cwd, env }: ConfigPlaces): Promise<ConfigFile[]> {
  const project = (await foldersUpToRepository(cwd)).flatMap((folder): ConfigFile[] => [
    { path: join(folder, '.mcp.json'), key: 'mcpServers', scope: 'project', folder },
    { path: join(folder, '.vscode', 'mcp.json'), key: 'servers', scope: 'project', folder },
    { path: join(folder, '.cursor', 'mcp.json'), key: 'mcpServers', scope: 'project', folder },
  ]);
  const home = homeFolder(env);
  const applications = applicationFolder(home, env);
  const user = [
    { path: join(home, '.cursor', 'mcp.json'), key: 'mcpServers' as const },
    { path: join(home, '.claude.json'), key: 'mcpServers' as const },
    { path: join(applications, 'Claude', 'claude_desktop_config.json'), key: 'mcpServers' as const },
    { path: join(applications, 'Code', 'User', 'mcp.json'), key: 'servers' as const },
  ].map((file): ConfigFile => ({ ...file, scope: 'user', folder: cwd }));
  return [...project, ...user];
}

const MAX_BYTES = 8 << 20;

/**
 * The servers that a file names, unchanged; null for a missing file. Comments and trailing commas are
 * skipped. Throws FILE_UNREADABLE, with the place, for invalid JSON or servers that are not an object.
 */
export async function readServers({ path, key }: ConfigFile): Promise<Record<string, unknown> | null> {
  let text: string;
  try {
    // Opening a pipe waits for its writer.
    if (!(await stat(path)).isFile()) throw new Error('it is not a regular file');
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) throw new Error('it is larger than 8 MiB');
    text = bytes.toString('utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return null;
    throw unreadable(path, (cause as Error).message, cause);
  }
  const [{ parse, printParseErrorCode }, { isTooDeep }] = await Promise.all([
    import('jsonc-parser'),
    import('../../formats/json/too-deep.ts'),
  ]);
  if (isTooDeep(text)) throw unreadable(path, 'it is nested too deeply');
  const errors: Parameters<typeof parse>[1] = [];
  const root: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw unreadable(path, `${printParseErrorCode(first.error)} in line ${line}`);
  }
  if (!isObject(root)) throw unreadable(path, 'it is not a JSON object');
  const servers = Object.hasOwn(root, key) ? root[key] : {};
  if (!isObject(servers)) throw unreadable(path, `"${key}" is not an object`);
  return servers;
}

async function foldersUpToRepository(cwd: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    const isTop = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isTop) return folders;
    if (folder === dirname(folder)) return [cwd];
  }
}

function applicationFolder(home: string, env: ConfigPlaces['env']): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (process.platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

function unreadable(path: string, reason: string, cause?: unknown): KairosError {
  return new KairosError('FILE_UNREADABLE', `${path} cannot be read for MCP servers: ${reason}`, {
    hint: 'Correct it, or move it away.',
    cause,
  });
}
