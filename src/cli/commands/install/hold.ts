import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'jsonc-parser';
import { plainCommand, shellQuote } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { packageFile } from '../../../base/package-root.ts';
import { home, type Places } from '../../../host/mcp-client/client-files.ts';
import { INSTALL_CLIENTS, type InstallClientName } from './clients.ts';
import { asObject, editHooks, HOOK_LIMIT, ownHooks, ownPart, plugin } from './hooks-config.ts';
import type { ConfigChange } from './install.ts';

/** How a client calls `kairos hook`: its file and the content. */
interface HookSettings {
  userFile(places: Places): string;
  projectFile: string;
  /** A file of the project, next to it, whose settings count too. */
  localFile?: string;
  /** The entries of a file that is the user's too, by event. */
  entries?(command: HookCommandLine): Record<string, unknown>;
  beside?: Record<string, unknown>;
  /** The whole content of a file that is kairos' own. */
  whole?(command: HookCommandLine): string;
  /** What the user has to do in the client. */
  note?: string;
}

interface HookCommandLine {
  words: readonly string[];
  /** The words for a shell, with more of them behind. */
  line(...more: string[]): string;
}

const everyTool = (hook: object) => ({ matcher: '*', hooks: [hook] });
const always = (hook: object) => ({ hooks: [hook] });

/** The clients with hooks, by the names of `kairos install`. */
export const HOOK_SETTINGS = {
  'claude-code': {
    userFile: (places) =>
      join(places.env.CLAUDE_CONFIG_DIR || join(home(places), '.claude'), 'settings.json'),
    projectFile: join('.claude', 'settings.json'),
    localFile: join('.claude', 'settings.local.json'),
    entries({ line }) {
      const hook = { type: 'command', command: line(), timeout: HOOK_LIMIT };
      return {
        SessionStart: always(hook),
        UserPromptSubmit: always(hook),
        PreToolUse: everyTool(hook),
        PostToolUse: everyTool(hook),
        PostToolUseFailure: everyTool(hook),
        Stop: always(hook),
      };
    },
  },
  codex: {
    userFile: (places) => join(places.env.CODEX_HOME || join(home(places), '.codex'), 'hooks.json'),
    projectFile: join('.codex', 'hooks.json'),
    entries({ line }) {
      const entry = always({ type: 'command', command: line(), timeout: HOOK_LIMIT });
      return {
        SessionStart: entry,
        UserPromptSubmit: entry,
        PreToolUse: entry,
        PostToolUse: entry,
        Stop: entry,
      };
    },
    note: 'Codex runs a new hook only after you trusted it: type /hooks in Codex.',
  },
  gemini: {
    userFile: (places) => join(places.env.GEMINI_CLI_HOME || home(places), '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    entries({ line }) {
      // Milliseconds.
      const entry = always({ name: 'kairos', type: 'command', command: line(), timeout: HOOK_LIMIT * 1000 });
      return {
        SessionStart: entry,
        BeforeAgent: entry,
        BeforeTool: entry,
        AfterTool: entry,
        AfterAgent: entry,
      };
    },
  },
  copilot: {
    userFile: (places) =>
      join(places.env.COPILOT_HOME || join(home(places), '.copilot'), 'hooks', 'kairos.json'),
    projectFile: join('.github', 'hooks', 'kairos.json'),
    whole(command) {
      const names = ['sessionStart', 'preToolUse', 'postToolUse', 'postToolUseFailure', 'agentStop'];
      const hooks = names.map((event) => {
        const line = command.line('--event', event);
        return [event, [{ type: 'command', bash: line, powershell: `& ${line}`, timeoutSec: HOOK_LIMIT }]];
      });
      return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
    },
  },
  cursor: {
    userFile: (places) => join(home(places), '.cursor', 'hooks.json'),
    projectFile: join('.cursor', 'hooks.json'),
    beside: { version: 1 },
    entries({ line }) {
      const entry = { command: line() };
      return {
        sessionStart: entry,
        beforeShellExecution: entry,
        beforeMCPExecution: entry,
        preToolUse: { ...entry, matcher: 'Write|StrReplace|Delete' },
        postToolUse: entry,
        postToolUseFailure: entry,
        stop: entry,
      };
    },
  },
  opencode: {
    userFile: (places) =>
      join(
        places.env.XDG_CONFIG_HOME || join(home(places), '.config'),
        'opencode',
        'plugins',
        'kairos-hold.js',
      ),
    projectFile: join('.opencode', 'plugins', 'kairos-hold.js'),
    whole: ({ words }) => plugin(words),
  },
} as const satisfies Partial<Record<InstallClientName, HookSettings>>;

export type HookClientId = keyof typeof HOOK_SETTINGS;

/** Null for a client without hooks: only the gateway works there. */
export function hookSettings(client: InstallClientName): HookSettings | null {
  return client in HOOK_SETTINGS ? HOOK_SETTINGS[client as keyof typeof HOOK_SETTINGS] : null;
}

export function hookCommandLine(words: readonly string[]): HookCommandLine {
  const quoted = (word: string) =>
    process.platform === 'win32' && /[^\w@%+=:,./\\-]/.test(word) ? `"${word}"` : shellQuote(word);
  return { words, line: (...more) => [...words, ...more].map(quoted).join(' ') };
}

/** Whether an entry of a client's hooks, or a whole file, starts `kairos hook` for this client. */
export function startsHook(value: unknown, client: InstallClientName): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return new RegExp(String.raw`kairos(?:\.js)?[\\"', ]+hook[\\"', ]+${client}\b`).test(text);
}

/** The change that adds the hooks of a client; with `command` null it removes them. */
export function hookChange(
  client: InstallClientName,
  file: string,
  command: HookCommandLine | null,
): ConfigChange {
  const { entries, whole, beside = {} } = hookSettings(client)!;
  const keys = ['hooks', ...Object.keys(beside), INSTALL_CLIENTS[client].key];
  if (whole === undefined) {
    const isOwn = (item: unknown) => startsHook(item, client);
    const edit = (text: string, wanted: Record<string, unknown> | null) =>
      editHooks(text, { file, entries: wanted, beside, isOwn });
    const undone = { keys, redo: (text: string, from: string) => edit(text, ownHooks(from, isOwn)) };
    const wanted = command === null ? null : entries!(command);
    return {
      file,
      format: 'json',
      undone: wanted === null ? undone : null,
      edit: (text) => edit(text, wanted),
    };
  }
  const undone = command === null ? { keys, redo: (text: string) => text } : null;
  const edit = (text: string) => {
    if (text !== '' && !startsHook(text, client)) {
      if (command === null) return text;
      throw new KairosError('FILE_UNREADABLE', `${file} was not changed: it is not a file of kairos`, {
        hint: `Move it away, then run ${plainCommand(['install'])} again.`,
      });
    }
    if (command !== null) return whole(command);
    return text === '' ? '' : null;
  };
  return { file, format: 'text', undone, edit };
}

/**
 * The hook that a client's file starts; null for a file without one. `stale` names what differs from what this program would
 * write: an event that is missing or doesn't get every call, a hook that the client doesn't wait for. Null: nothing.
 */
export function installedHook(
  client: HookClientId,
  text: string,
): { command: string | string[]; stale: string | null; note: string | null } | null {
  if (!startsHook(text, client)) return null;
  const settings: HookSettings = HOOK_SETTINGS[client];
  const note = settings.note ?? null;
  const other = 'not as this version of kairos writes it';
  if (client === 'opencode') {
    const words: string[] = JSON.parse(
      /^const \[program, \.\.\.args\] = (\[.*\]);$/m.exec(text)?.[1] ?? '[""]',
    );
    return { command: words, stale: text === plugin(words) ? null : other, note };
  }
  const root: unknown = parse(text, [], { allowTrailingComma: true });
  const isOwn = (value: unknown) => startsHook(value, client);
  const [command = ''] = textsIn(root).filter(isOwn);
  // The words behind are the store, which only the user knows.
  const isOfThisProgram = command.startsWith(hookCommandLine(programWords(command, client)).line());
  const line = (...more: string[]) => [command.replace(/ --event \w+$/, ''), ...more].join(' ');
  const wanted =
    settings.whole === undefined
      ? settings.entries!({ words: [], line })
      : hooksOf(JSON.parse(settings.whole({ words: [], line })));
  const present = hooksOf(root);
  const differs = Object.entries(wanted).filter(([event, entry]) => {
    const list = present[event];
    const same = (found: unknown) => isDeepStrictEqual(ownPart(patient(found), isOwn), patient(entry));
    return settings.whole === undefined
      ? !(Array.isArray(list) && list.some(same))
      : !isDeepStrictEqual(patient(list), patient(entry));
  });
  const events = differs.map(([event]) => event).join(', ');
  const stale = !isOfThisProgram ? other : events === '' ? null : `${events}: ${other}`;
  return { command, stale, note };
}

/** An entry without its limit, where that is a usable one: a user may give the hook more time, or less. */
function patient(entry: unknown): unknown {
  const isLimit = (key: string, value: unknown) =>
    /^timeout/.test(key) && typeof value === 'number' && value > 0;
  return JSON.parse(JSON.stringify(entry ?? null, (key, value) => (isLimit(key, value) ? undefined : value)));
}

/** The start of kairos that a line should have: by name, or this very program. */
function programWords(line: string, client: HookClientId): string[] {
  return /^kairos /.test(line)
    ? ['kairos', 'hook', client]
    : [process.execPath, packageFile('bin/kairos.js'), 'hook', client];
}

function hooksOf(root: unknown): Record<string, unknown> {
  return asObject(asObject(root).hooks);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The setting of a client's file that turns its hooks off; null for none. */
export function disabledBy(text: string): string | null {
  const { disableAllHooks, hooksConfig } = asObject(parse(text, [], { allowTrailingComma: true }));
  if (disableAllHooks === true) return '"disableAllHooks"';
  const { enabled, disabled } = asObject(hooksConfig);
  if (enabled === false) return '"hooksConfig.enabled": false';
  return Array.isArray(disabled) && disabled.includes('kairos') ? '"kairos" in "hooksConfig.disabled"' : null;
}
