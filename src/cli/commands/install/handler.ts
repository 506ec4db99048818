import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { absoluteLocation } from '../../../host/settings/user-settings.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import {
  INSTALL_CLIENTS,
  type InstallClient,
  type InstallClientName,
  type InstallOptions,
} from './clients.ts';
import { HOOK_SETTINGS, hookChange, hookCommandLine, hookSettings } from './hold.ts';
import { programStart, type ServerStore, serverStart, serverStore, usualStore } from './server-start.ts';

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
  if (options.uninstall) await installGateways(call, client, 'if there');
  const code = await installServer(call, client, extra);
  if (options.uninstall && hookSettings(client) !== null) await installHooks(call, client, 'if there');
  return code;
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
  const { options, io, output } = call;
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
  const { chooseFile, editConfig, install } = await import('./install.ts');
  const file = await chooseFile(client, await configFile(client, call), name);
  if (options.print) {
    print(call, named, file, editConfig('', { client, file, name, start }));
    return EXIT.ok;
  }
  // Report an invalid user configuration before anything is written.
  const usual = options.uninstall || options.project !== undefined ? null : await usualStore(io);
  const request = { client, file, name, start: options.uninstall ? null : start };
  const { change, backup, env } = await install(request, io.now());
  const store = options.uninstall
    ? { store: null, left_out: [] }
    : serverStore(io.env, { options: read, entry: env, usual });
  if (output.json) {
    output.object({ client: named, file, change, backup, ...store });
  } else {
    tell(call, client, file, { change, backup });
    if (!options.uninstall) tellStore(call, store);
  }
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
  const { options, io, output } = call;
  const client: InstallClient = INSTALL_CLIENTS[named];
  const names = Array.isArray(options.gateway) ? options.gateway : null;
  const start = options.uninstall ? null : programStart(options.project, ['gateway', ...carriedWords(call)]);
  if (start !== null) refusePassing(start.args);
  const [{ changeConfig, chooseFile }, { editGateways }] = await Promise.all([
    import('./install.ts'),
    import('./hooks-config.ts'),
  ]);
  const file = await chooseFile(client, await configFile(client, call), names?.[0] ?? options.name);
  let found: Omit<ReturnType<typeof editGateways>, 'text'> = { changed: [], left: [], known: [] };
  const edit = (text: string) => {
    const { text: edited, ...rest } = editGateways(text, { client, file, names, start });
    const missing = (names ?? []).find((name) => !rest.known.includes(name));
    if (missing !== undefined) {
      throw new KairosError('NOT_FOUND', `${file} has no server ${JSON.stringify(missing)}`, {
        hint: rest.known.length === 0 ? 'It has no servers.' : `It has ${rest.known.join(', ')}.`,
      });
    }
    found = rest;
    return edited;
  };
  const undone = options.uninstall ? [] : null;
  const { change, backup } = await changeConfig({ file, format: client.format, edit, undone }, io.now());
  if (quiet !== undefined && change === 'none') return EXIT.ok;
  if (output.json) {
    output.object({ client: named, file, change, backup, servers: found.changed, left: found.left });
    return EXIT.ok;
  }
  tell(call, client, file, { change, backup });
  if (found.changed.length > 0)
    output.print(`Servers: ${found.changed.map((name) => escapeForTerminal(name)).join(', ')}`);
  if (found.left.length > 0 && !options.uninstall)
    output.note(
      `note: not changed, because they are reached over HTTP: ${found.left.map((name) => escapeForTerminal(name)).join(', ')}. Configure ${programName()} gateway --url for them.`,
    );
  return EXIT.ok;
}

/** `--store` and `--space` for what the client starts. */
function carriedWords({ options, io }: InstallCall): string[] {
  return (['store', 'space'] as const).flatMap((option) => {
    const value = options[option];
    if (value === undefined) return [];
    return [`--${option}`, option === 'store' ? absoluteLocation(value, io.cwd) : value];
  });
}

/** Writes the hooks of a client, or removes them. `if there`: prints nothing if the file has no hooks. */
async function installHooks(
  call: InstallCall,
  named: InstallClientName,
  quiet?: 'if there',
): Promise<number> {
  const { options, io, output } = call;
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
  const { changeConfig } = await import('./install.ts');
  const change = hookChange(named, file, options.uninstall ? null : line);
  const outcome = await changeConfig(change, io.now());
  if (quiet !== undefined && outcome.change === 'none') return EXIT.ok;
  if (output.json) output.object({ client: named, file, change: outcome.change, backup: outcome.backup });
  else {
    tell(call, client, file, outcome);
    if (!options.uninstall && settings.note !== undefined) output.print(settings.note);
    if (!options.uninstall)
      output.print(
        `What is held: ${programName()} hold list. Whether the hooks start: ${programName()} doctor`,
      );
  }
  return EXIT.ok;
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

/** A client would start a program that the next cleaning of the cache removes. */
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
