/** One server in a client's configuration: where it stands, and what is to stand there. */
export interface ServerEdit {
  /** The configuration, for what is said about it. */
  file: string;
  /** Under this key the client keeps its servers. */
  key: string;
  name: string;
  /** Null: take it out. */
  entry: Record<string, unknown> | null;
  /** What is written when it is missing, and the user's own from then on. */
  once: readonly string[];
}

/** With one of these a client reaches a server at an address, and starts none. */
export const REMOTE_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;
