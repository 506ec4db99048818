import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { CLIENT_FILES, type ClientFiles, REMOTE_KEYS } from './client-files.ts';

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
  /** The first file that names it. */
  file: string;
  /** A server of a `project` file needs separate trust before it starts. */
  scope: 'project' | 'user';
  /** Where it is started, and what `${workspaceFolder}` stands for. */
  folder: string;
}

/**
 * Finds an MCP server by name in the configuration files that clients already have: the first file that names it counts, and
 * later ones aren't read. NOT_FOUND lists the known ones;
 * INVALID_INPUT when it is not one that can be started (reached over HTTP, disabled, incomplete).
 */
export async function findServer(name: string, places: ConfigPlaces): Promise<FoundServer> {
  const known = new Set<string>();
  const files = await configFiles(places);
  for (const file of files) {
    const servers = await readServers(file);
    if (servers === null) continue;
    if (Object.hasOwn(servers, name)) {
      const { path, scope, folder } = file;
      return { definition: readDefinition(name, servers[name], path), file: path, scope, folder };
    }
    for (const server of Object.keys(servers)) known.add(server);
  }
  const names = [...known].sort();
  throw new KairosError('NOT_FOUND', `no MCP server is configured under the name ${JSON.stringify(name)}`, {
    hint:
      names.length > 0
        ? `Known servers: ${names.join(', ')}.`
        : `Name it in one of: ${files.map(({ path }) => path).join(', ')}.`,
  });
}

/** Reads an entry, in the form of any client. Throws INVALID_INPUT for a server that kairos cannot start. */
export function readDefinition(name: string, entry: unknown, path: string): ServerDefinition {
  const refuse = (reason: string, hint: string) =>
    new KairosError('INVALID_INPUT', `the MCP server ${JSON.stringify(name)} of ${path} ${reason}`, { hint });
  if (!isObject(entry)) throw refuse('is not an object', 'Give it a command and args.');
  const {
    type,
    enabled,
    disabled = enabled === false,
    environment,
    env = environment ?? {},
    envFile,
  } = entry;
  const { cwd = null } = entry;
  // opencode writes the program and its arguments as one list.
  const [command, args] = Array.isArray(entry.command)
    ? [entry.command[0] as unknown, entry.command.slice(1)]
    : [entry.command, entry.args ?? []];
  const isStdio = type === undefined || type === 'stdio' || type === 'local';
  if (REMOTE_KEYS.some((key) => entry[key] !== undefined) || !isStdio) {
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

/** A file with the servers of an MCP client, and where it contains them. */
interface ConfigFile {
  /** The client's title. */
  client: string;
  path: string;
  format: ClientFiles['format'];
  /** The keys from the root of the file to the servers. */
  keys: readonly string[];
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
  const places = { env, platform: process.platform };
  const folders = await foldersUpToRepository(cwd);
  const project = folders.flatMap((folder) =>
    Object.values(CLIENT_FILES).flatMap((client: ClientFiles) =>
      client.projectFile === null
        ? []
        : filesOf(client, join(folder, client.projectFile), { scope: 'project', folder }),
    ),
  );
  // Claude Code keeps what a user adds for one project alone in the user's own file.
  const claude = CLIENT_FILES['claude-code'];
  const local = folders.map((folder): ConfigFile => {
    const keys = ['projects', folder, claude.key];
    return {
      client: claude.title,
      path: claude.userFile(places),
      format: claude.format,
      keys,
      scope: 'user',
      folder: cwd,
    };
  });
  const { cursor, vscode, 'claude-desktop': desktop, 'claude-code': _, ...others } = CLIENT_FILES;
  const user = [cursor, claude, desktop, vscode, ...Object.values(others)].flatMap((client: ClientFiles) =>
    filesOf(client, client.userFile(places), { scope: 'user', folder: cwd }),
  );
  return [...project, ...local, ...user];
}

function filesOf(
  { title, format, key, otherName }: ClientFiles,
  path: string,
  where: Pick<ConfigFile, 'scope' | 'folder'>,
): ConfigFile[] {
  const paths = otherName === undefined ? [path] : [path, join(dirname(path), otherName)];
  return paths.map((one) => ({ client: title, path: one, format, keys: [key], ...where }));
}

const MAX_BYTES = 8 << 20;

/**
 * The servers that a file names, unchanged; null for a missing file. Comments and trailing commas of JSON are
 * skipped. Throws FILE_UNREADABLE, with the place, for an invalid file or servers that are not an object.
 */
export async function readServers({
  path,
  format,
  keys,
}: Pick<ConfigFile, 'path' | 'format' | 'keys'>): Promise<Record<string, unknown> | null> {
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
  let servers = format === 'toml' ? await parseTomlConfig(path, text) : await parseJsonConfig(path, text);
  for (const key of keys) {
    const inner: unknown = Object.hasOwn(servers, key) ? servers[key] : {};
    if (!isObject(inner)) throw unreadable(path, `"${key}" is not an object`);
    servers = inner;
  }
  return servers;
}

async function parseTomlConfig(path: string, text: string): Promise<Record<string, unknown>> {
  const { readToml } = await import('../../formats/toml.ts');
  const read = readToml(text);
  if ('content' in read) return read.content;
  throw unreadable(path, `${read.message} in line ${read.line}`);
}

async function parseJsonConfig(path: string, text: string): Promise<Record<string, unknown>> {
  const [{ parse, printParseErrorCode }, { isTooDeep }] = await Promise.all([
    import('jsonc-parser'),
    import('../../formats/json/parse.ts'),
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
  return root;
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

function unreadable(path: string, reason: string, cause?: unknown): KairosError {
  return new KairosError('FILE_UNREADABLE', `${path} cannot be read for MCP servers: ${reason}`, {
    hint: 'Correct it, or move it away.',
    cause,
  });
}
