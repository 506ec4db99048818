import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  createScanner,
  getNodeValue,
  type Node,
  parse as parseJson,
  parseTree,
} from 'jsonc-parser';
import { readToml } from '../../../formats/toml.ts';
import { type InstallClient, unusableConfig } from './clients.ts';
import { insertOnTop, property, readObject, styleOf, takeOut } from './json-config.ts';

/** The hooks of a client's settings: its events, each with a list. */
export interface HooksEdit {
  file: string;
  /** By event; null: remove them. */
  entries: Readonly<Record<string, unknown>> | null;
  /** Other keys that the file needs. */
  beside?: Readonly<Record<string, unknown>>;
  isOwn: IsOwnHook;
}

/** Whether an entry of an event, or one hook of its list `hooks`, starts kairos. */
type IsOwnHook = (value: unknown) => boolean;

/** What of an entry is kairos' own: the entry without the hooks that a user added to its list. Null for nothing. */
export function ownPart(entry: unknown, isOwn: IsOwnHook): unknown {
  if (!isOwn(entry)) return null;
  const { hooks } = asObject(entry);
  return Array.isArray(hooks) ? { ...asObject(entry), hooks: hooks.filter(isOwn) } : entry;
}

/**
 * Sets (or with null removes) kairos' hooks in a JSON file. Everything else stays, also other hooks of the same events and
 * those that a user added to an entry of kairos.
 */
export function editHooks(text: string, { file, entries, beside = {}, isOwn }: HooksEdit): string {
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(bom.length);
  let source = body.trim() === '' ? '{\n}\n' : body;
  const hooksIn = (root: Node) => {
    const hooks = property(source, root, 'hooks', file);
    if (hooks === undefined || hooks.type === 'object') return hooks;
    if (entries === null) return undefined;
    throw unusableConfig(file, '"hooks" is not an object');
  };
  const listsIn = (hooks: Node | undefined) =>
    (hooks?.children ?? []).flatMap(({ children }) => {
      const [key, list] = children!;
      return list?.type === 'array' ? [{ event: String(key!.value), list }] : [];
    });
  const isOwnNode = (node: Node) => isOwn(getNodeValue(node));
  const count = listsIn(hooksIn(readObject(source, file))).flatMap(({ list }) =>
    list.children!.filter(isOwnNode),
  ).length;
  if (count === 0 && entries === null) return text;
  const isSame = entries !== null && isDeepStrictEqual(ownHooks(source, isOwn), { ...entries });
  if (isSame && count === Object.keys(entries).length) return text;
  for (;;) {
    const hooks = hooksIn(readObject(source, file));
    const found = listsIn(hooks).flatMap(({ list }) => list.children!.filter(isOwnNode))[0];
    if (found === undefined) break;
    source = takeOut(source, largest(source, hookIn(found, isOwnNode), hooks!.parent!));
  }
  if (entries === null) return bom + source;
  const style = styleOf(source);
  for (const [event, entry] of Object.entries(entries).toReversed()) {
    const root = readObject(source, file);
    const hooks = hooksIn(root);
    const list = hooks && property(source, hooks, event, file);
    if (list !== undefined && list.type !== 'array') throw unusableConfig(file, `"${event}" is not a list`);
    const edit =
      hooks === undefined
        ? insertOnTop(root, source, [['hooks', { [event]: [entry] }]], 1, style)
        : list === undefined
          ? insertOnTop(hooks, source, [[event, [entry]]], 2, style)
          : insertOnTop(list, source, [[null, entry]], 3, style);
    source = applyEdits(source, [edit]);
  }
  for (const [key, value] of Object.entries(beside)) {
    const root = readObject(source, file);
    if (property(source, root, key, file) === undefined)
      source = applyEdits(source, [insertOnTop(root, source, [[key, value]], 1, style)]);
  }
  return bom + source;
}

/** Kairos' own hooks in a text, by event. */
export function ownHooks(text: string, isOwn: IsOwnHook): Record<string, unknown> {
  const { hooks } = asObject(parseJson(text.replace(/^\ufeff/, ''), [], { allowTrailingComma: true }));
  const own = Object.entries(asObject(hooks)).flatMap(([event, list]) =>
    Array.isArray(list) ? list.filter(isOwn).map((entry) => [event, ownPart(entry, isOwn)]) : [],
  );
  return Object.fromEntries(own);
}

/** The hook of an entry that is kairos' own, where the entry has others too; else the entry. */
function hookIn(entry: Node, isOwnNode: (node: Node) => boolean): Node {
  const pairs = entry.type === 'object' ? entry.children! : [];
  const list = pairs.find(({ children }) => children![0]!.value === 'hooks')?.children?.[1];
  const hooks = list?.type === 'array' ? list.children! : [];
  return hooks.every(isOwnNode) ? entry : hooks.find(isOwnNode)!;
}

/** What goes with a node: the list and the property around it, up to a given one, while they have nothing else, not even a comment. */
function largest(source: string, node: Node, end: Node): Node {
  for (let found = node; found !== end; ) {
    const { parent } = found;
    const inside = source.slice(parent!.offset + 1, found.offset);
    const behind = source.slice(found.offset + found.length, parent!.offset + parent!.length);
    const isValue = parent!.type === 'property';
    if (!isValue && (parent!.children!.length > 1 || /\/[/*]/.test(inside + behind))) return found;
    found = parent!;
  }
  return end;
}

/** A JSON text without its layout: equal for two texts that differ in spaces and trailing commas. */
export function jsonTokens(text: string): string[] {
  const source = text.replace(/^\ufeff/, '');
  const scanner = createScanner(source, false);
  const tokens: string[] = [];
  while (scanner.scan() !== END_OF_FILE) {
    const at = scanner.getTokenOffset();
    const token = source.slice(at, at + scanner.getTokenLength());
    if (token.trim() === '') continue;
    if (/^[\]}]$/.test(token) && tokens.at(-1) === ',') tokens.pop();
    tokens.push(token);
  }
  return tokens;
}

const END_OF_FILE = 17;

/** The text without what an uninstall may leave: these keys with nothing below them, lists of hooks without a hook, a version. */
export function withoutEmpty(text: string, keys: readonly string[]): string {
  const isEmpty = ({ type, children }: Node) => /^(?:object|array)$/.test(type) && children!.length === 0;
  for (let rest = text; ; ) {
    const root = parseTree(rest, [], { allowTrailingComma: true });
    const found = (root?.children ?? []).flatMap((property) => {
      const [{ value: key }, value] = property.children as [Node, Node?];
      if (value === undefined || !keys.includes(key)) return [];
      if (isEmpty(value) || (key === 'version' && value.value === 1)) return [property];
      return key === 'hooks'
        ? (value.children ?? []).filter(({ children }) => children?.[1] && isEmpty(children[1]))
        : [];
    })[0];
    if (found === undefined) return rest;
    rest = takeOut(rest, found);
  }
}

/** The parsed content of a configuration; an empty object for an invalid one. */
export function contentOf(text: string, { format }: InstallClient): Record<string, unknown> {
  return asObject(
    format === 'json'
      ? parseJson(text.replace(/^\ufeff/, ''), [], { allowTrailingComma: true })
      : tomlContent(text),
  );
}

function tomlContent(text: string): unknown {
  const read = readToml(text);
  return 'content' in read ? read.content : {};
}

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Seconds. The limit for one hook, which normally needs a tenth of a second. */
export const HOOK_LIMIT = 30;

/** The plug-in of opencode: it hands events to `kairos hook opencode`, one process each, and obeys the answer. */
export function plugin(words: readonly string[]): string {
  return `// Written by kairos install. To remove it: kairos install opencode --uninstall --hold
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const [program, ...args] = ${JSON.stringify(words)};

/** Sends an event to kairos. If it can't print its answer, a call is refused; if it can't start, nothing changes. */
const ask = (event) =>
  new Promise((done) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const timer = setTimeout(() => child.kill(), ${HOOK_LIMIT * 1000});
    let text = '';
    child.stdout.on('data', (chunk) => { text += chunk; });
    child.stdin.on('error', () => {});
    child.on('error', () => done({ kind: 'none' }));
    child.on('close', (code) => {
      clearTimeout(timer);
      try {
        done(JSON.parse(text));
      } catch {
        done({ kind: code === 2 || code === null ? 'deny' : 'none', text: 'kairos could not check this call.' });
      }
    });
    child.stdin.end(JSON.stringify(event));
  });

export const KairosHold = async ({ client, directory }) => {
  const roots = new Map();
  const calls = new Map();
  const added = new Map();
  /** The session that the user sees: subagents have their own sessions. */
  const rootOf = async (id) => {
    if (roots.has(id)) return roots.get(id);
    let root = id;
    try {
      for (let at = id; at; ) {
        const { data } = await client.session.get({ path: { id: at } });
        root = at;
        at = data?.parentID;
      }
    } catch {}
    roots.set(id, root);
    return root;
  };
  const about = async (id, cwd = directory) => ({ session_id: await rootOf(id), cwd });
  const folderOf = (args) => (typeof args?.workdir === 'string' ? resolve(directory, args.workdir) : directory);
  return {
    'chat.message': async ({ sessionID }, { parts }) => {
      const prompt = parts.filter(({ type }) => type === 'text').map(({ text }) => text).join('\\n');
      const answer = await ask({ event: 'prompt', ...(await about(sessionID)), prompt });
      if (answer.kind === 'context') added.set(sessionID, answer.text);
      else added.delete(sessionID);
    },
    'experimental.chat.system.transform': async ({ sessionID }, output) => {
      if (added.has(sessionID)) output.system.push(added.get(sessionID));
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      calls.set(callID, args);
      const answer = await ask({ event: 'before', ...(await about(sessionID, folderOf(args))), tool, args });
      if (answer.kind === 'deny' || answer.kind === 'ask') throw new Error(answer.text);
    },
    'tool.execute.after': async ({ tool, sessionID, callID }, output) => {
      const args = calls.get(callID);
      calls.delete(callID);
      const { metadata, content } = output;
      const answer = await ask({
        event: 'after',
        ...(await about(sessionID, folderOf(args))),
        tool,
        args,
        exit: metadata?.exit,
        output: output.output,
        content,
      });
      if (answer.kind === 'context' && typeof output.output === 'string') output.output += '\\n' + answer.text;
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return;
      const id = event.properties.sessionID;
      if ((await rootOf(id)) !== id) return;
      const answer = await ask({ event: 'idle', session_id: id, cwd: directory });
      if (answer.kind === 'sendOn')
        await client.session.prompt({ path: { id }, body: { parts: [{ type: 'text', text: answer.text }] } });
    },
  };
};
`;
}
