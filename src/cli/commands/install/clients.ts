import { join } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { homeFolder } from '../../../host/files/paths.ts';

/** How a client starts a server. */
export interface ServerEntry {
  command: string;
  args: string[];
}

export interface Places {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
}

/** A client: where it keeps its servers, and in which form. */
export interface InstallClient {
  title: string;
  format: 'json' | 'toml';
  /** The key of the servers, each under its name. */
  key: string;
  /** The user's own file. */
  userFile(places: Places): string;
  /** The file inside a project's folder; null when the client reads none. */
  projectFile: string | null;
  entry(start: ServerEntry): Record<string, unknown>;
  /** Keys of the entry that are written when they are missing, and the user's own from then on. */
  once?: readonly string[];
  /** The key of a server's variables in its entry; default: `env`. */
  envKey?: string;
  /** The transport of an address without a type; default: `http`. */
  usualUrl?: 'http' | 'sse';
  /** Another name that the client reads the file by, in the same folder. */
  otherName?: string;
}

const plain = ({ command, args }: ServerEntry) => ({ command, args });
const typed = (start: ServerEntry) => ({ type: 'stdio', ...plain(start) });

/** Every client that `kairos install` knows, by the name that is typed. */
export const INSTALL_CLIENTS = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(home(places), '.claude.json'),
    projectFile: '.mcp.json',
    entry: typed,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(applications(places), 'Claude', 'claude_desktop_config.json'),
    projectFile: null,
    entry: plain,
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(home(places), '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    entry: plain,
  },
  vscode: {
    title: 'Visual Studio Code',
    format: 'json',
    key: 'servers',
    userFile: (places) => join(applications(places), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    entry: typed,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    userFile: (places) => join(places.env.CODEX_HOME || join(home(places), '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    entry: plain,
  },
  gemini: {
    title: 'Gemini CLI',
    usualUrl: 'sse',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(home(places), '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    entry: plain,
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    key: 'mcp',
    userFile: ({ env, ...places }) =>
      join(env.XDG_CONFIG_HOME || join(home({ env, ...places }), '.config'), 'opencode', 'opencode.json'),
    projectFile: 'opencode.json',
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    once: ['enabled'],
    envKey: 'environment',
    otherName: 'opencode.jsonc',
  },
  copilot: {
    title: 'GitHub Copilot CLI',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(places.env.COPILOT_HOME || join(home(places), '.copilot'), 'mcp-config.json'),
    projectFile: join('.github', 'mcp.json'),
    entry: (start) => ({ type: 'local', ...plain(start), tools: ['*'] }),
    once: ['tools'],
  },
  qwen: {
    title: 'Qwen Code',
    usualUrl: 'sse',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(home(places), '.qwen', 'settings.json'),
    projectFile: join('.qwen', 'settings.json'),
    entry: plain,
  },
  cline: {
    title: 'Cline CLI',
    usualUrl: 'sse',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) =>
      places.env.CLINE_MCP_SETTINGS_PATH ||
      join(home(places), '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
    projectFile: null,
    entry: (start) => ({ ...plain(start), disabled: false }),
    once: ['disabled'],
  },
} as const satisfies Record<string, InstallClient>;

export function home({ env }: Places): string {
  return env.USERPROFILE && !env.HOME ? env.USERPROFILE : homeFolder(env);
}

/** Where applications keep their settings on this platform. */
function applications(places: Places): string {
  if (places.platform === 'darwin') return join(home(places), 'Library', 'Application Support');
  if (places.platform === 'win32') return places.env.APPDATA || join(home(places), 'AppData', 'Roaming');
  return places.env.XDG_CONFIG_HOME || join(home(places), '.config');
}

export type InstallClientName = keyof typeof INSTALL_CLIENTS;

export interface InstallOptions {
  client?: InstallClientName;
  /** True: here. */
  project?: string | true;
  name: string;
  print?: boolean;
  uninstall?: boolean;
  /** Hooks for `hold.yaml`, instead of the server. */
  hold?: boolean;
  /** Servers to put behind the gateway; true: all. */
  gateway?: string[] | true;
}

/** One server in a client's configuration: its place and its new entry. */
export interface ServerEdit {
  /** The configuration, for error messages. */
  file: string;
  /** Under this key the client keeps its servers. */
  key: string;
  name: string;
  /** Null: remove it. */
  entry: Record<string, unknown> | null;
  /** What is written when it is missing, and the user's own from then on. */
  once: readonly string[];
}

/** With one of these a client reaches a server at an address, and starts none. */
export const REMOTE_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;

/** One server, and the text of its entry: gets the old one, returns the new one as text or as a value. */
export type ServerPlace = Pick<ServerEdit, 'file' | 'key' | 'name'>;
export type NewEntry = (was: string) => string | Record<string, unknown>;

/** The line of a place in a text, counted from one. */
export function lineNumberAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The error for a client configuration that kairos can't edit. */
export function unusableConfig(file: string, reason: string): KairosError {
  return new KairosError('FILE_UNREADABLE', `${file} was not changed: ${reason}`, {
    hint: 'Correct the file, or print the entry with --print and add it yourself.',
  });
}
