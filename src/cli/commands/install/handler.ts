import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import {
  INSTALL_CLIENTS,
  type InstallClient,
  type InstallClientName,
  type InstallOptions,
} from './clients.ts';
import { HOOK_SETTINGS, hookChange, hookCommandLine, hookSettings } from './hold.ts';
import type { ConfigChange } from './install.ts';
import {
  carriedWords,
  isEmptyStore,
  nextSteps,
  programStart,
  type ServerStore,
  serverStart,
  serverStore,
  usualStore,
} from './server-start.ts';

type InstallCall = Call<[string | undefined, string[]], InstallOptions>;

/**
 * `kairos install`. With `--json`: `{client, file, change, backup, store, left_out}`; with `--print` too:
 * `{client, file, text}`. Hooks (`--hold`): `{client, file, change, backup}`.
 */
export const installCommand: Handler<[string | undefined, string[]], InstallOptions> = async (call) => {
  const { options } = call;
  const { client, extra } = namedClient(call);
  if (options.hold) return installHooks(call, client);
  if (options.gateway !== undefined) return installGateways(call, client);
  if (options.uninstall) {
    // The last addition goes first: then each copy of the file fits.
    if (hookSettings(client) !== null) await installHooks(call, client, 'if there');
    await installGateways(call, client, 'if there');
  }
  return installServer(call, client, extra);
};

/** The client, by its option or as the first word, and the arguments for the server. */
function namedClient({ args: [word, rest], options }: InstallCall): {
  client: InstallClientName;
  extra: string[];
} {
  if (options.client !== undefined) return { client: options.client, extra: [word ?? [], rest].flat() };
  if (word !== undefined && Object.hasOwn(INSTALL_CLIENTS, word))
    return { client: word as InstallClientName, extra: rest };
  const problem =
    word === undefined ? 'no client is named' : `${JSON.stringify(word)} is not a client that kairos knows`;
  throw new KairosError('USAGE', problem, {
    hint: `Name one of: ${Object.keys(INSTALL_CLIENTS).join(', ')}.`,
  });
}

async function installServer(
  call: InstallCall,
  named: InstallClientName,
  extra: readonly string[],
): Promise<number> {
  const { options, io } = call;
  const client: InstallClient = INSTALL_CLIENTS[named];
  const { name } = options;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new KairosError('USAGE', `${JSON.stringify(name)} is not a valid server name`, {
      hint: 'Use letters, digits, - and _.',
    });
  }
  if (named === 'gemini' && name.includes('_')) {
    throw new KairosError('USAGE', `${JSON.stringify(name)} is not a valid server name for Gemini CLI`, {
      hint: 'Use - instead of _: the policies of Gemini CLI read the text after the first _ as the name of a tool.',
    });
  }
  const { start, read } = serverStart(call, extra);
  if (!options.uninstall && !options.print) refusePassing(start.args);
  const { chooseFile, editConfig, entryEnv, serverChange } = await import('./install.ts');
  const file = await chooseFile(client, await configFile(client, call), name);
  if (options.print) {
    print(call, named, file, editConfig('', { client, file, name, start }));
    return EXIT.ok;
  }
  // Report an invalid user configuration before anything is written.
  const usual = options.uninstall || options.project !== undefined ? null : await usualStore(io);
  const change = serverChange({ client, file, name, start: options.uninstall ? null : start });
  const storeOf = (text: string) =>
    serverStore(io.env, { options: read, entry: entryEnv(text, client, name), usual });
  return applyChange(call, named, change, {
    fields: (text) => (options.uninstall ? { store: null, left_out: [] } : { ...storeOf(text) }),
    async added(text) {
      const opened = storeOf(text);
      tellStore(call, opened);
      if (await isEmptyStore(call, opened.store, read.space)) call.output.print(nextSteps(options, named));
    },
  });
}

/** What is printed about a change. */
interface ChangeReport {
  /** Prints nothing where nothing changes. */
  quiet?: 'if there' | undefined;
  /** Further fields of `--json`, by the new text. */
  fields?(text: string): object;
  /** Prints more about what was added. */
  added?(text: string): void | Promise<void>;
}

/** Changes a client's file and prints what was done. */
async function applyChange(
  call: InstallCall,
  named: InstallClientName,
  wanted: ConfigChange,
  { quiet, fields, added }: ChangeReport,
): Promise<number> {
  const { options, io, output } = call;
  const { changeConfig } = await import('./install.ts');
  const { change, backup, text } = await changeConfig(wanted, io.now());
  if (quiet !== undefined && change === 'none') return EXIT.ok;
  const { file } = wanted;
  if (output.json) {
    output.object({ client: named, file, change, backup, ...fields?.(text) });
    return EXIT.ok;
  }
  tell(call, INSTALL_CLIENTS[named], file, { change, backup });
  if (!options.uninstall) await added?.(text);
  return EXIT.ok;
}

function print({ output }: InstallCall, client: InstallClientName, file: string, text: string): void {
  if (output.json) output.object({ client, file, text });
  else output.document(text);
  if (!output.json) output.note(`Entry for ${escapeForTerminal(file)}`);
}

/** Puts servers of a client behind the gateway, or removes the gateway. `if there`: prints nothing for a file without one. */
async function installGateways(
  call: InstallCall,
  named: InstallClientName,
  quiet?: 'if there',
): Promise<number> {
  const { options, output } = call;
  const client: InstallClient = INSTALL_CLIENTS[named];
  const names = Array.isArray(options.gateway) ? options.gateway : null;
  const start = options.uninstall ? null : programStart(options.project, ['gateway', ...carriedWords(call)]);
  if (start !== null) refusePassing(start.args);
  const [{ chooseFile }, { gatewayChange }] = await Promise.all([
    import('./install.ts'),
    import('./gateways-config.ts'),
  ]);
  const file = await chooseFile(client, await configFile(client, call), names?.[0] ?? options.name);
  const { change, found } = gatewayChange({ client, file, names, start });
  const list = (all: readonly string[]) => all.map((name) => escapeForTerminal(name)).join(', ');
  return applyChange(call, named, change, {
    quiet,
    fields: () => ({ servers: found.changed, left: found.left }),
    added() {
      if (found.changed.length > 0) output.print(`Servers: ${list(found.changed)}`);
      if (found.left.length > 0)
        output.note(
          `note: not behind the gateway, because it cannot reach them, or they belong to one project: ${list(found.left)}`,
        );
    },
  });
}

/** Writes the hooks of a client, or removes them. `if there`: prints nothing if the file has no hooks. */
async function installHooks(
  call: InstallCall,
  named: InstallClientName,
  quiet?: 'if there',
): Promise<number> {
  const { options, output } = call;
  const client: InstallClient = INSTALL_CLIENTS[named];
  const settings = hookSettings(named);
  if (settings === null) {
    throw new KairosError('USAGE', `${client.title} has no hooks that kairos knows`, {
      hint: `Clients with hooks: ${Object.keys(HOOK_SETTINGS).join(', ')}.`,
    });
  }
  const { command, args } = programStart(options.project, ['hook', named, ...carriedWords(call)]);
  if (!options.uninstall && !options.print) refusePassing(args);
  const line = hookCommandLine([command, ...args]);
  const file = await configFile(settings, call);
  if (options.print) {
    print(call, named, file, hookChange(named, file, line).edit('') ?? '');
    return EXIT.ok;
  }
  return applyChange(call, named, hookChange(named, file, options.uninstall ? null : line), {
    quiet,
    added() {
      if (settings.note !== undefined) output.print(settings.note);
      output.print(
        `What is held: ${programName()} hold list. Whether the hooks start: ${programName()} doctor`,
      );
    },
  });
}

function tell(
  { output, options }: InstallCall,
  { title }: InstallClient,
  file: string,
  { change, backup }: { change: string; backup: string | null },
): void {
  const shown = escapeForTerminal(file);
  if (change === 'none') {
    output.print(options.uninstall ? `Nothing to remove from ${shown}` : `Unchanged: ${shown}`);
    return;
  }
  output.print(
    change === 'removed'
      ? `Removed ${shown}`
      : options.uninstall
        ? `Removed from ${shown}`
        : `Written to ${shown}`,
  );
  if (backup !== null) output.print(`Backup of the old file: ${escapeForTerminal(backup)}`);
  output.print(`Restart ${title} to apply the change.`);
}

/**
 * The store of the server, which may differ from the user's: print it, because a server on the wrong store
 * finds nothing.
 */
function tellStore({ output }: InstallCall, { store, left_out: names }: ServerStore): void {
  output.print(
    `Store of the server: ${store === null ? 'the default of the user who starts it' : escapeForTerminal(store)}`,
  );
  if (names.length === 0) return;
  output.note(
    `note: set here but not written to the file: ${names.join(', ')}. Clients pass few variables on; --store and --space are written.`,
  );
}

/** The client would start a program that disappears when the cache is cleaned. */
function refusePassing([program = '']: readonly string[]): void {
  if (!/[\\/]_npx[\\/]/.test(program)) return;
  throw new KairosError('USAGE', `kairos runs from the cache of npx (${program}), which npm empties`, {
    hint: 'Install it first (npm install -g kairos-protocols), then run kairos install again.',
  });
}

type ConfigPlace = Pick<InstallClient, 'userFile' | 'projectFile'> & { title?: string };

async function configFile(client: ConfigPlace, { options, io }: InstallCall): Promise<string> {
  if (options.project === undefined) return client.userFile({ env: io.env, platform: process.platform });
  if (client.projectFile === null) {
    throw new KairosError('USAGE', `${client.title ?? 'this client'} has no project configuration`, {
      hint: 'Omit --project.',
    });
  }
  const folder = resolve(io.cwd, options.project === true ? '.' : options.project);
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) {
    throw new KairosError('USAGE', `there is no project folder ${folder}`, {
      hint: 'Name an existing folder, or omit the name for the current one.',
    });
  }
  return join(folder, client.projectFile);
}
