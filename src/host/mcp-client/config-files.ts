import { lstat, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { homeFolder } from '../files/paths.ts';

/** Where to look: the run's directory, and the environment that names the user's folders. */
export interface ConfigPlaces {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** A file with the servers of MCP clients, and the name of the key that contains them. */
export interface ConfigFile {
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

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
