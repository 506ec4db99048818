import { KairosError } from '../../../base/errors.ts';
import { CLIENT_FILES, type ClientFiles } from '../../../host/mcp-client/client-files.ts';

/** How a client starts a server. */
export interface ServerEntry {
  command: string;
  args: string[];
}

/** A client: where it keeps its servers, and in which form. */
export interface InstallClient extends ClientFiles {
  entry(start: ServerEntry): Record<string, unknown>;
  /** Keys of the entry that are written when they are missing, and the user's own from then on. */
  once?: readonly string[];
  /** The key of a server's variables in its entry; default: `env`. */
  envKey?: string;
  /** The transport of an address without a type; default: `http`. */
  usualUrl?: 'http' | 'sse';
}

const plain = ({ command, args }: ServerEntry) => ({ command, args });
const typed = (start: ServerEntry) => ({ type: 'stdio', ...plain(start) });

/** Every client that `kairos install` knows, by the name that is typed. */
export const INSTALL_CLIENTS = {
  'claude-code': { ...CLIENT_FILES['claude-code'], entry: typed },
  'claude-desktop': { ...CLIENT_FILES['claude-desktop'], entry: plain },
  cursor: { ...CLIENT_FILES.cursor, entry: plain },
  vscode: { ...CLIENT_FILES.vscode, entry: typed },
  codex: { ...CLIENT_FILES.codex, entry: plain },
  gemini: { ...CLIENT_FILES.gemini, entry: plain, usualUrl: 'sse' },
  opencode: {
    ...CLIENT_FILES.opencode,
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    once: ['enabled'],
    envKey: 'environment',
  },
  copilot: {
    ...CLIENT_FILES.copilot,
    entry: (start) => ({ type: 'local', ...plain(start), tools: ['*'] }),
    once: ['tools'],
  },
  qwen: { ...CLIENT_FILES.qwen, entry: plain, usualUrl: 'sse' },
  cline: {
    ...CLIENT_FILES.cline,
    usualUrl: 'sse',
    entry: (start) => ({ ...plain(start), disabled: false }),
    once: ['disabled'],
  },
} as const satisfies Record<string, InstallClient>;

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
