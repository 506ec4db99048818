import { join } from 'node:path';
import { type Environment, homeFolder } from '../files/paths.ts';

export interface Places {
  env: Environment;
  platform: NodeJS.Platform;
}

/** Where an MCP client keeps its servers. */
export interface ClientFiles {
  title: string;
  format: 'json' | 'toml';
  /** The key of the servers, each under its name. */
  key: string;
  /** The user's own file. */
  userFile(places: Places): string;
  /** The file inside a project's folder; null when the client reads none. */
  projectFile: string | null;
  /** Another name that the client reads the file by, in the same folder. */
  otherName?: string;
}

/** Every MCP client whose configuration kairos reads and writes, in the order in which a server is looked for. */
export const CLIENT_FILES = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(places.env.CLAUDE_CONFIG_DIR || home(places), '.claude.json'),
    projectFile: '.mcp.json',
  },
  vscode: {
    title: 'Visual Studio Code',
    format: 'json',
    key: 'servers',
    userFile: (places) => join(applications(places), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(home(places), '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(applications(places), 'Claude', 'claude_desktop_config.json'),
    projectFile: null,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    userFile: (places) => join(places.env.CODEX_HOME || join(home(places), '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(places.env.GEMINI_CLI_HOME || home(places), '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    key: 'mcp',
    userFile: (places) =>
      join(places.env.XDG_CONFIG_HOME || join(home(places), '.config'), 'opencode', 'opencode.json'),
    projectFile: 'opencode.json',
    otherName: 'opencode.jsonc',
  },
  copilot: {
    title: 'GitHub Copilot CLI',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(places.env.COPILOT_HOME || join(home(places), '.copilot'), 'mcp-config.json'),
    projectFile: join('.github', 'mcp.json'),
  },
  qwen: {
    title: 'Qwen Code',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) => join(places.env.QWEN_HOME || join(home(places), '.qwen'), 'settings.json'),
    projectFile: join('.qwen', 'settings.json'),
  },
  cline: {
    title: 'Cline CLI',
    format: 'json',
    key: 'mcpServers',
    userFile: (places) =>
      places.env.CLINE_MCP_SETTINGS_PATH || join(clineData(places), 'settings', 'cline_mcp_settings.json'),
    projectFile: null,
  },
} as const satisfies Record<string, ClientFiles>;

export function home({ env }: Places): string {
  return env.USERPROFILE && !env.HOME ? env.USERPROFILE : homeFolder(env);
}

function clineData(places: Places): string {
  const { CLINE_DATA_DIR, CLINE_DIR } = places.env;
  return CLINE_DATA_DIR || join(CLINE_DIR || join(home(places), '.cline'), 'data');
}

/** Where applications keep their settings on this platform. */
function applications(places: Places): string {
  if (places.platform === 'darwin') return join(home(places), 'Library', 'Application Support');
  if (places.platform === 'win32') return places.env.APPDATA || join(home(places), 'AppData', 'Roaming');
  return places.env.XDG_CONFIG_HOME || join(home(places), '.config');
}

/** With one of these a client reaches a server at an address, and starts none. */
export const REMOTE_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;
