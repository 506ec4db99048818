import { join } from 'node:path';
import { globs, programName } from '../base/command-line.ts';
import { KairosError } from '../base/errors.ts';
import { memoize } from '../base/memoize.ts';
import { packageFile } from '../base/package-root.ts';
import { type AgentCall, type HoldMatch, matchHolds, shellTexts } from '../gate/holds.ts';
import { processorLimit, readScripts } from '../host/commands/started-files.ts';
import { type UserFolders, userFolders } from '../host/files/paths.ts';
import { CHANGERS, changesPath, placesIn } from '../host/files/pattern-files.ts';
import { HOLD_FILE, type HoldList, loadHolds } from '../host/hold-files.ts';
import { HOLD } from '../run/wording.ts';
import { baseName, parseScript } from '../shell/commands.ts';
import { findHeld } from '../shell/held.ts';
import { mentions, spells } from '../shell/nested.ts';
import { plainName, readCommandPattern } from '../shell/same-command.ts';

// A hook runs before every call of an agent and most calls are not held, so this file opens no store.

/** Reads the hold lists. Throws FILE_UNREADABLE for an invalid one: until it is corrected, everything that it names is held. */
export async function usableHolds(env: NodeJS.ProcessEnv): Promise<HoldList> {
  const list = await loadHolds(userFolders(env), env);
  const [bad] = list.unreadable;
  if (bad === undefined) return list;
  throw new KairosError('FILE_UNREADABLE', `the hold list ${bad.path} cannot be used: ${bad.reason}`, {
    hint: `Correct it. Until then hooks refuse ${bad.text === '*' ? 'all but tools that only read' : 'every command and tool that it names'}. See ${programName()} schema hold.`,
  });
}

/** The entries of the hold lists that cover a call. Throws FILE_UNREADABLE for an invalid list. */
export async function holdsOf(call: AgentCall, env: NodeJS.ProcessEnv): Promise<HoldMatch[]> {
  return matchHolds((await usableHolds(env)).holds, call, processorLimit());
}

/** A command with the text of the scripts that it runs, for the comparison with the entries. */
export function commandCall(
  command: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Extract<AgentCall, { kind: 'command' }> {
  return { kind: 'command', command, folder, ...readScripts(command, folder, env) };
}

/** How the hold lists treat a call before any run is looked at. */
export type HoldCheck =
  | { kind: 'free' }
  /** Refused for every run of the session. */
  | { kind: 'denied'; text: string }
  /** A run of the session may allow it. */
  | { kind: 'held'; matches: HoldMatch[] };

type HoldFolders = Pick<UserFolders, 'data' | 'home'>;

/** Whether the words of a server in a client's file start this server (`-- COMMAND` or `--url URL`), with or without a gateway. */
export function startsServer(words: readonly string[], started: readonly string[]): boolean {
  const own = words.includes('gateway') ? words.slice(-started.length) : ['--', ...words];
  // The client has filled in the variables.
  const fits = (word: string, at: number) => globs(word.replace(/\$\{[^}]*\}/g, '*'), started[at]!);
  return own.length === started.length && own.every(fits);
}

/** The words of a command line, as a shell gives them to the programs in it. */
export const wordsIn = (line: string): string[] =>
  parseScript(line).commands.flatMap(({ path, args }) => [path, ...args]);

/** Checks a call against the hold lists. A call that changes one, or that an unreadable list may name, is denied. */
export function checkHolds(list: HoldList, folders: HoldFolders, call: AgentCall): HoldCheck {
  if (changesHolds(call, folders, list)) return { kind: 'denied', text: HOLD.ownFiles() };
  const unreadable = list.unreadable.find(({ text }) =>
    text === '*' ? !isReader(call) : mayHold(text, call),
  );
  if (unreadable !== undefined)
    return { kind: 'denied', text: `${HOLD.failed()} (${unreadable.path}: ${unreadable.reason})` };
  const matches = matchHolds(list.holds, call, processorLimit());
  const isHolding = list.holds.length + list.unreadable.length > 0;
  const isLate = processorLimit();
  if (isHolding && shellTexts(call).some((script) => mayAskForTrust(script, isLate)))
    return { kind: 'denied', text: HOLD.asksForTrust() };
  return matches.length === 0 ? { kind: 'free' } : { kind: 'held', matches };
}

/** Whether the text of a call that can't be checked names a program or a tool of the hold lists. */
export async function namesHeld(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { holds, unreadable } = await loadHolds(userFolders(env), env);
  const names = holds.map(({ hold: { match } }) =>
    match.command === undefined ? match.tool!.split('/').at(-1)! : programIn(match.command),
  );
  return unreadable.length > 0 || names.some((name) => spells(text, name));
}

/** The name of the program with which a command begins, as commands are compared. */
const programIn = (command: string) => plainName(baseName(command.trim().split(/\s/, 1)[0]!));

/** Whether the text of a hold list that can't be read may hold a call: it has the tool, or the first word of a command. */
function mayHold(list: string, call: AgentCall): boolean {
  // Some clients put two underscores between the names of a server and a tool.
  if (call.kind === 'tool' && spells(list.replaceAll('__', ' '), call.tool)) return true;
  // After `command:`, and where an entry or a line begins; not the keys.
  const programs = list.matchAll(
    /(?:\bcommand['"]?\s*:\s*|^[ \t]*(?:-[ \t]+)*|[[{,]\s*)['"]?([^\s'":,[\]{}#]+)(?![^\s'":,[\]{}#]|['"]?\s*:)/gm,
  );
  const texts = shellTexts(call);
  return [...programs].some(([, program]) => texts.some((text) => spells(text, programIn(program!))));
}

/** The ends of the files in which clients have hooks, or a setting that turns hooks off. */
const HOOK_FILES = [
  ...['.claude/settings.json', '.claude/settings.local.json', '.codex/hooks.json', '.codex/config.toml'],
  ...['.gemini/settings.json', '.cursor/hooks.json', 'hooks/kairos.json', 'kairos-hold.js', '.claude.json'],
];

/** Programs that only print what is in files. */
const PRINTERS = new Set(['cat', 'head', 'tail', 'wc', 'grep', 'ls', 'stat', 'jq', 'echo', 'cd']);

const INSTALLER = /\b(?:npm|pnpm|yarn|bun)(?=\s)([\s\S]*)/;
const REMOVAL = /\s(?:r|rm|un|unlink|remove|uninstall)\s([\s\S]*)/;
const INSTALLATION = /\s(?:i|in|ins|inst|insta|instal|install|add|up|update|upgrade)\s([\s\S]*)/;

/**
 * A removal of kairos, or a write of a file of variables that moves its configuration. Each expression reads a command to its end, so
 * that the time grows with the length alone.
 */
function disarms(text: string): boolean {
  const isRemoved = (command: string) => {
    const [, words = ''] = INSTALLER.exec(command) ?? [];
    const [, other = ''] = INSTALLATION.exec(words) ?? [];
    const removed = [REMOVAL.exec(words)?.[1] ?? '', other.includes('-protocols@') ? other : ''];
    return removed.some((rest) => /\bkairos-protocols\b/.test(rest));
  };
  if (text.includes('kairos-protocols') && text.split(/[;&|\n]/).some(isRemoved)) return true;
  if (!/KAIROS_(?:CONFIG|MACHINE)_DIR|XDG_CONFIG_HOME/.test(text)) return false;
  const writes = (part: string) =>
    /\.env\b/.test(/(?:>|\b(?:tee|sed|cp|mv)\b)([\s\S]*)/.exec(part)?.[1] ?? '');
  return text.split(/[;&|\n"]/).some(writes) || /(?:_|")path":"[^;&|\n"]*\.env\b/.test(text);
}

const READERS =
  /^(?:Read|Grep|Glob|LS|read_file|read_many_files|view|grep|glob|list|ls|search_file_content)$/;

/** Whether a tool only reads. */
const isReader = (call: AgentCall) =>
  call.kind === 'tool' &&
  (call.server === null ? READERS : /^(?:read|get|list|search|kairos)_/).test(call.tool);

/** What commands of kairos do for the user alone: they decide what is held, what counts as trusted, or what is reported. */
const OWN_WORDS = ['trust', 'install', 'hook', 'gateway', '--trust'];

/** Whether a script runs one of these commands of kairos; one that only may do so counts if it has the word. */
function runsKairos(script: string, ownWords: readonly string[], isLate: () => boolean): boolean {
  if (!script.includes('kairos')) return false;
  return ownWords.some((word) =>
    ['kairos*', 'node *kairos*'].some((program) => {
      const found = findHeld(script, readCommandPattern(`${program} ${word}`)!, isLate);
      return found !== null && (found.certainty === 'same' || mentions(script, word));
    }),
  );
}

/**
 * Whether a script has a command of kairos that can ask for trust: an agent can type the answer through a pseudo-terminal. With
 * `--no-input` it can't; only plain words count, since quotes may hide the option in the value of another one.
 */
function mayAskForTrust(script: string, isLate: () => boolean): boolean {
  if (!script.includes('kairos')) return false;
  const others = script.replace(/[\w./:@~+,%= \t-]+/g, (part) => (isSilent(part) ? ' ' : part));
  return runsKairos(others, ['run', 'resume', 'rollback'], isLate);
}

function isSilent(part: string): boolean {
  const words = part.split(/[ \t]+/);
  const program = words.findIndex((word) => word.includes('kairos'));
  const verb = words.findIndex((word, at) => at > program && /^(?:run|resume|rollback)$/.test(word));
  const option = words.findIndex((word, at) => at > verb && /^--(?:no-input|dry-run|help)$/.test(word));
  return program !== -1 && verb !== -1 && option !== -1 && !words[option - 1]!.startsWith('-');
}

/** Names of the files in the folders of kairos. */
const keptNames = memoize((data) => {
  const names = ['trust', 'sessions', 'holds.json', 'kairos.db'];
  return [...names.flatMap((name) => [join(data, name), `kairos/${name}`]), `kairos/${HOLD_FILE}`];
}, 4096);

/**
 * Whether a call names a file that decides what is held, or runs a command that does. Reading a file with a tool of the client is
 * allowed.
 */
function changesHolds(
  call: AgentCall,
  { data, home }: HoldFolders,
  { files }: Pick<HoldList, 'files'>,
): boolean {
  const names = [...files, ...keptNames(data), ...(files.length === 0 ? [] : HOOK_FILES)];
  const paths = [...names.filter((name) => name.startsWith('/')), packageFile('bin/kairos.js')];
  if (isReader(call)) return false;
  const scripts = shellTexts(call);
  const isLate = processorLimit();
  if (scripts.some((script) => runsKairos(script, OWN_WORDS, isLate))) return true;
  if (call.kind === 'command') {
    const place = { here: call.folder, home, isLate: processorLimit() };
    return scripts.some((script) => {
      const plain = script.replace(/\\\n|['"\\]/g, '');
      const isNamed = disarms(plain) || names.some((name) => namesFile(plain, name));
      const isMeant = isNamed || changesPath(plain, paths, place);
      return isMeant && !onlyPrints(script);
    });
  }
  const texts = JSON.stringify(call.arguments ?? null);
  if (disarms(texts)) return true;
  if (names.some((name) => texts.includes(JSON.stringify(name).slice(1, -1)))) return true;
  const moves = /move|rename|delete|remove|trash|unlink/i.test(call.tool);
  const given = placesIn(texts, home, processorLimit());
  const above = (path: string) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
  return paths
    .flatMap((path) => (moves ? above(path) : [path]))
    .some((path) => given.some((each) => each.test(path)));
}

/** Whether a script only prints files. */
function onlyPrints(script: string): boolean {
  const { commands, errors } = parseScript(script);
  if (errors.length > 0 || script.replace(/2>(?:&1|\/dev\/null)/g, '').includes('>')) return false;
  return commands.every(({ name }) => name !== null && PRINTERS.has(name));
}

const CHANGED = RegExp(`\\b${CHANGERS}\\s([\\s\\S]*)`);

/** Whether a script names a file: by its path, by its folder and its name apart, or by changing its folder or a pattern in it. */
function namesFile(script: string, path: string): boolean {
  if (script.includes(path)) return true;
  const [name = '', folder = '', above] = path.split('/').reverse();
  if (name === HOLD_FILE && /\bxargs\b/.test(script) && script.includes(name)) return true;
  if (!script.includes(folder)) return false;
  // The first folder, then the name after it: the time grows with the length alone.
  const isApart = () => {
    const found = RegExp(`(?:^|[\\s/=])${literal(folder)}(?=$|[\\s/;&|)])`, 'm').exec(script);
    const rest = found === null ? '' : script.slice(found.index + found[0].length);
    return RegExp(`[\\s/=>]${literal(name)}(?=$|[\\s;&|)])`, 'm').test(rest);
  };
  if (name.includes('.') && script.includes(name) && isApart()) return true;
  const place = above ? `${above}/${folder}` : folder.startsWith('.') ? folder : null;
  if (place === null || !script.includes(place)) return false;
  const isPlace = RegExp(`[\\s/]${literal(place)}(?:/?(?=$|[\\s){])|/[^\\s/]*[*?[{])`);
  return script.split(/[;&|\n]/).some((part) => isPlace.test(CHANGED.exec(part)?.[1] ?? ''));
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
