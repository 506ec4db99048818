import { isAbsolute, join } from 'node:path';
import { hereCommand, programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { packageFile } from '../../../base/package-root.ts';
import { type Environment, realPathOf, userFolders } from '../../../host/files/paths.ts';
import { absoluteLocation, loadUserSettings, storeLocation } from '../../../host/settings/user-settings.ts';
import { wordsIn } from '../../../operations/hold.ts';
import { checkSpace } from '../../../protocol/identity.ts';
import type { Call, CommonOptions } from '../../command.ts';
import { withContext } from '../../context.ts';
import type { CliIo } from '../../io.ts';
import { parseOnly } from '../../program.ts';
import { serveDefinition } from '../serve/command.ts';
import { checkServeOptions, type ServeOptions } from '../serve/options.ts';
import type { InstallClientName, InstallOptions, ServerEntry } from './clients.ts';

/**
 * Returns how a client starts the server, and the options that the server reads. A project's file uses `kairos` from the
 * path. The user's own file contains this program's absolute path, because desktop clients often don't see the path of a
 * shell. Throws USAGE or INVALID_INPUT for options that `kairos serve` would reject or read differently.
 */
export function serverStart(
  { options, io }: Pick<Call<[string | undefined, string[]], InstallOptions>, 'options' | 'io'>,
  extra: readonly string[],
): { start: ServerEntry; read: ServeOptions & CommonOptions } {
  const { store, space, project } = options;
  const own = [
    'serve',
    ...(store === undefined ? [] : ['--store', absoluteLocation(store, io.cwd)]),
    ...(space === undefined ? [] : ['--space', space]),
    ...extra,
  ];
  const read = parseOnly<ServeOptions>(serveDefinition, own, io);
  if (read.http !== undefined) {
    throw new KairosError('USAGE', '--http has no meaning for a server that the client itself starts', {
      hint: `An installed server uses standard input and output. Start ${programName()} serve --http yourself, and give its URL to the client.`,
    });
  }
  checkServeOptions(read);
  if (read.space !== undefined) checkSpace(read.space);
  if (project === undefined) refuseRelative(read);
  return { start: programStart(project, own), read };
}

/** How a client starts kairos: this very program, or in a project's file the one on the path. */
export function programStart(project: InstallOptions['project'], args: string[]): ServerEntry {
  return project === undefined
    ? { command: process.execPath, args: [packageFile('bin/kairos.js'), ...args] }
    : { command: 'kairos', args };
}

/** The variables that move the folders of kairos. */
const UNSET = {
  ...{ KAIROS_CONFIG_DIR: undefined, KAIROS_DATA_DIR: undefined },
  ...{ XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined },
};

/**
 * The options of what the client starts: store and space, and folders that variables move here, because clients
 * pass few variables on. A project's file belongs to all who work on it, so it names no folder of this user.
 */
export function carriedWords({
  options,
  io,
  output,
}: Pick<Call<unknown[], InstallOptions>, 'options' | 'io' | 'output'>): string[] {
  const words = (['store', 'space'] as const).flatMap((option) => {
    const value = options[option];
    if (value === undefined) return [];
    return [`--${option}`, option === 'store' ? absoluteLocation(value, io.cwd) : value];
  });
  const { config, data, home } = userFolders(io.env);
  const usual = home === null ? null : userFolders({ ...io.env, ...UNSET });
  const folders = [
    ...(io.env.KAIROS_CONFIG_DIR || config !== usual?.config ? [['--config-dir', config]] : []),
    ...(io.env.KAIROS_DATA_DIR || data !== usual?.data ? [['--data-dir', data]] : []),
  ];
  if (options.project === undefined) return [...words, ...folders.flat()];
  if (folders.length > 0 && !options.uninstall)
    output.note(
      `note: not written to the project's file: ${folders.map((option) => escapeForTerminal(option.join(' '))).join(', ')}. The client must set the variable itself, or it reads another hold list.`,
    );
  return words;
}

/** How a client starts kairos: its words, or a line for a shell, and the variables that its file adds. */
interface InstalledStart {
  words: string | readonly string[];
  env?: Environment;
  /** In a project's file, which names no folder. */
  isProject: boolean;
}

/** The first folder that kairos uses there and not here, in words; null without one. Clients pass few variables on. */
export function otherFolder(
  { words, env = {}, isProject }: InstalledStart,
  here: Environment,
): string | null {
  const given = typeof words === 'string' ? wordsIn(words) : words;
  const own = userFolders(here);
  const there = isProject || own.home === null ? own : userFolders({ ...here, ...UNSET, ...env });
  for (const kind of ['config', 'data'] as const) {
    const option = `--${kind}-dir`;
    const at = given.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
    const pinned = given[at] === option ? given[at + 1] : given[at]?.slice(option.length + 1);
    const used = pinned || there[kind];
    if (realPathOf(used) !== realPathOf(own[kind]))
      return `it uses ${used} for its ${kind === 'config' ? 'configuration' : 'data'}, and this command ${own[kind]}`;
  }
  return null;
}

/** Clients start the user's own server wherever they like; one of a project starts there. */
function refuseRelative({ store, workdir, root = [], policy }: ServeOptions & CommonOptions): void {
  const paths = [
    ['--workdir', workdir],
    ...root.map((path) => ['--root', path]),
    ['--policy', policy],
    ['--store', store !== undefined && isRelativeStore(store) ? store : undefined],
  ] as const;
  for (const [flag, path] of paths) {
    if (path === undefined || isAbsolute(path)) continue;
    throw new KairosError(
      'USAGE',
      `${flag} ${JSON.stringify(path)} is relative, to a folder that the client chooses`,
      { hint: 'Write the path in full.' },
    );
  }
}

function isRelativeStore(store: string): boolean {
  return absoluteLocation(store, '/a') !== absoluteLocation(store, '/b');
}

/** Variables that the server reads, and the option that goes before each. */
const READ = {
  KAIROS_STORE: 'store',
  QDRANT_URL: 'store',
  KAIROS_SPACE: 'space',
  KAIROS_DATA_DIR: null,
  KAIROS_CONFIG_DIR: null,
} as const;
type Variable = keyof typeof READ;
const VARIABLES = Object.keys(READ) as Variable[];

export interface ServerStore {
  /** Null: the folder of the process that starts the server. */
  store: string | null;
  /** Variables that are set here and not in the entry, and that would change the server. */
  left_out: Variable[];
}

/** The store that an installed server opens: by its options, else by the variables of its entry, else the usual one. */
export function serverStore(
  env: Environment,
  {
    options,
    entry,
    usual,
  }: {
    options: { store?: string; space?: string };
    entry: Readonly<Record<string, unknown>>;
    usual: string | null;
  },
): ServerStore {
  const store = options.store ?? entry.KAIROS_STORE;
  const decided = { store, space: options.space ?? entry.KAIROS_SPACE };
  const isLeftOut = (name: Variable) => {
    const option = READ[name];
    return Boolean(env[name]) && !(name in entry) && (option === null || decided[option] === undefined);
  };
  return { store: typeof store === 'string' ? store : usual, left_out: VARIABLES.filter(isLeftOut) };
}

/** The user's store where no option and no variable of kairos is given. */
export async function usualStore({ env, cwd }: Pick<CliIo, 'env' | 'cwd'>): Promise<string> {
  const bare = { ...env };
  for (const name of VARIABLES) delete bare[name];
  const folders = userFolders(bare);
  return (
    storeLocation(undefined, bare, await loadUserSettings(folders), cwd) ?? join(folders.data, 'kairos.db')
  );
}

/** Whether the server will find no protocol. False for a store that can't be looked at here: on a network, or broken. */
export async function isEmptyStore(
  call: Pick<Call<unknown[], InstallOptions>, 'options' | 'io' | 'output'>,
  store: string | null,
  space?: string,
): Promise<boolean> {
  if (store !== null && /^https?:/i.test(store)) return false;
  const options = { ...call.options, ...(store === null ? {} : { store }), ...(space ? { space } : {}) };
  const look = withContext({ ...call, options }, { dryRun: true }, async (ctx) => {
    const chains = await ctx.store.listChains([ctx.caller.space]);
    return chains.length === 0;
  });
  return look.catch(() => false);
}

/** What to do after an installation with an empty store. */
export function nextSteps({ project }: InstallOptions, client: InstallClientName): string {
  const place = project === undefined ? [] : project === true ? ['--project'] : ['--project', project];
  const removal = hereCommand(['install', client, ...place, '--uninstall']);
  return `This store has no protocols yet. Add one: ${hereCommand(['mint', 'FILE'])}. Check the set-up: ${hereCommand(['doctor'])}. Remove the server again: ${removal}`;
}
