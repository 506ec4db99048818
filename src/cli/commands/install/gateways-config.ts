import { KairosError } from '../../../base/errors.ts';
import { REMOTE_KEYS } from '../../../host/mcp-client/client-files.ts';
import type { InstallClient, ServerEntry } from './clients.ts';
import { asObject, contentOf } from './hooks-config.ts';
import type { ConfigChange } from './install.ts';
import { editJson, replaceInJson } from './json-config.ts';
import { editToml, replaceInToml } from './toml-config.ts';

/** Servers of a client that go behind the gateway; `names`: null means all. `start`: null removes the gateway. */
interface GatewayRequest {
  client: InstallClient;
  file: string;
  names: readonly string[] | null;
  start: ServerEntry | null;
}

interface FoundServers {
  changed: string[];
  /** Servers that the gateway can't reach, which stay unchanged. */
  left: string[];
  known: string[];
}

/** The change, and what it finds once it is made. It throws NOT_FOUND for a name that the file doesn't have. */
export function gatewayChange(request: GatewayRequest): { change: ConfigChange; found: FoundServers } {
  const { client, file, names, start } = request;
  const found: FoundServers = { changed: [], left: [], known: [] };
  const edit = (text: string) => {
    const { text: edited, ...rest } = editGateways(text, request);
    const missing = (names ?? []).find((name) => !rest.known.includes(name));
    if (missing !== undefined) {
      throw new KairosError('NOT_FOUND', `${file} has no server ${JSON.stringify(missing)}`, {
        hint: rest.known.length === 0 ? 'It has no servers.' : `It has ${rest.known.join(', ')}.`,
      });
    }
    Object.assign(found, rest);
    return edited;
  };
  const redo = (text: string, from: string) => {
    const own = gatewaysIn(from, client).filter(({ name }) => names?.includes(name) !== false);
    const [command = '', ...args] = own[0]?.words ?? [];
    const again = { command, args: args.slice(0, args.lastIndexOf('--name')) };
    return editGateways(text, { client, file, names: own.map(({ name }) => name), start: again }).text;
  };
  const undone = start === null ? { keys: [], redo } : null;
  return { change: { file, format: client.format, edit, undone }, found };
}

/** The variable with the old text of an entry over HTTP, so that an uninstall restores each byte of it. */
const ENTRY = 'KAIROS_GATEWAY_ENTRY';
const HEADERS = 'KAIROS_GATEWAY_HEADERS';

function editGateways(
  text: string,
  { client, file, names, start }: GatewayRequest,
): { text: string } & FoundServers {
  const { key, format } = client;
  const servers = Object.entries(asObject(contentOf(text, client)[key]));
  const result = {
    text,
    changed: [] as string[],
    left: [] as string[],
    known: servers.map(([name]) => name),
  };
  // Claude Code has servers of one project in the same file.
  for (const [project, { mcpServers }] of Object.entries(asObject(contentOf(text, client).projects)).map(
    ([path, value]) => [path, asObject(value)] as const,
  )) {
    const own = names === null && start !== null ? Object.keys(asObject(mcpServers)) : [];
    result.left.push(...own.map((name) => `${name} (only in ${project})`));
  }
  const [edit, replace] = format === 'json' ? [editJson, replaceInJson] : [editToml, replaceInToml];
  for (const [name, value] of servers) {
    if (names !== null && !names.includes(name)) continue;
    const entry = asObject(value);
    const words = wordsOf(entry);
    const place = { file, key, name };
    const before = result.text;
    if (words === null) {
      if (start === null) continue;
      const remote = remoteOf(entry, client);
      if (remote === null) result.left.push(name);
      else
        result.text = replace(before, place, (was) => ({
          ...client.entry({
            command: start.command,
            args: [...start.args, '--name', name, '--url', remote.url],
          }),
          ...remote.kept,
          [client.envKey ?? 'env']: {
            ...(remote.headers === '{}' ? {} : { [HEADERS]: remote.headers }),
            [ENTRY]: was,
          },
        }));
    } else {
      const behind = kairosWords(words);
      const was = asObject(entry[client.envKey ?? 'env'])[ENTRY];
      if (start === null && behind !== null && typeof was === 'string') {
        result.text = replace(before, place, () => was);
      } else {
        const wanted =
          start === null
            ? (behind?.behind ?? null)
            : behind === null
              ? [start.command, ...start.args, '--name', name, '--', ...words]
              : null;
        if (wanted === null) continue;
        const [command, ...args] = wanted;
        const change = Array.isArray(entry.command) ? { command: wanted } : { command, args };
        result.text = edit(before, { ...place, entry: change, once: [] });
      }
    }
    if (result.text !== before) result.changed.push(name);
  }
  return result;
}

/** How the entry of a server starts it: its words. Null for a server that is reached over HTTP. */
function wordsOf(entry: Record<string, unknown>): string[] | null {
  const { command, args = [] } = entry;
  const words = Array.isArray(command) ? command : typeof command === 'string' ? [command, args].flat() : [];
  return words.length > 0 && words.every((word) => typeof word === 'string') ? words : null;
}

/** Whether words start `kairos gateway`, with the words of the server behind it. Null for another server, and kairos' own. */
function kairosWords(words: readonly string[]): { isGateway: boolean; behind: string[] | null } | null {
  const at = words.findIndex((word) => /(?:^|[\\/])kairos(?:\.js)?$/.test(word));
  if (at === -1 || at > 1) return null;
  const end = words.indexOf('--');
  const isGateway = words[at + 1] === 'gateway';
  return { isGateway, behind: isGateway && end !== -1 ? words.slice(end + 1) : null };
}

interface InstalledGateway {
  name: string;
  program: string;
  /** Of kairos, without those of the server behind it. */
  words: readonly string[];
  env: Record<string, string>;
}

/** The servers of a client that are behind the gateway, and how each is started. */
export function gatewaysIn(text: string, client: InstallClient): InstalledGateway[] {
  return Object.entries(asObject(contentOf(text, client)[client.key])).flatMap(([name, value]) => {
    const entry = asObject(value);
    const words = wordsOf(entry) ?? [];
    if (kairosWords(words)?.isGateway !== true) return [];
    const [command = '', script = ''] = words;
    const program = /kairos\.js$/.test(script) ? script : command;
    const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
    return [
      { name, program, words: own, env: asObject(entry[client.envKey ?? 'env']) as Record<string, string> },
    ];
  });
}

/** Where a server is reached over Streamable HTTP; null for another transport, or a sign-in that only the client can do. */
function remoteOf(
  entry: Record<string, unknown>,
  { usualUrl = 'http' }: InstallClient,
): { url: string; headers: string; kept: Record<string, unknown> } | null {
  const key = REMOTE_KEYS.find((name) => typeof entry[name] === 'string');
  const {
    type,
    headers,
    http_headers,
    env_http_headers,
    bearer_token_env_var: token,
    oauth,
    ...rest
  } = entry;
  const isHttp =
    key === 'httpUrl' || (type === undefined ? usualUrl === 'http' : HTTP_TYPES.has(String(type)));
  if (key === undefined || !isHttp || (oauth !== undefined && oauth !== false)) return null;
  const names = Object.entries(asObject(env_http_headers));
  const all = {
    ...asObject(headers ?? http_headers),
    ...Object.fromEntries(names.map(([header, name]) => [header, `\${${name}}`])),
    ...(token === undefined ? {} : { Authorization: `Bearer \${${token}}` }),
  };
  const variables = [...names.map(([, name]) => name), ...(token === undefined ? [] : [token])];
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== key));
  return {
    url: String(entry[key]),
    headers: JSON.stringify(all),
    kept: { ...kept, ...(variables.length === 0 ? {} : { env_vars: variables }) },
  };
}

const HTTP_TYPES = new Set(['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote']);
