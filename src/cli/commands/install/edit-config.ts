import type { InstallClient, ServerStart } from './clients.ts';
import { editJson } from './json-config.ts';
import { editToml } from './toml-config.ts';

export interface InstallRequest {
  client: InstallClient;
  file: string;
  /** The server's name in the client. */
  name: string;
  /** Null: take it out. */
  start: ServerStart | null;
}

/** What the file would hold. */
export function editConfig(text: string, { client, file, name, start }: InstallRequest): string {
  const edit = client.format === 'json' ? editJson : editToml;
  const entry = start === null ? null : client.entry(start);
  return edit(text, { file, key: client.key, name, entry, once: client.once ?? [] });
}
