import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import type { Call, Handler } from '../../command.ts';
import { EXIT } from '../../io.ts';
import { INSTALL_CLIENTS, type InstallClient, type InstallOptions } from './clients.ts';
import { type ServerStore, serverStart, serverStore, usualStore } from './server-start.ts';

type InstallCall = Call<[string[]], InstallOptions>;

/**
 * `kairos install`. With `--json`: `{client, file, change, backup, store, left_out}`; with `--print` too:
 * `{client, file, text}`.
 */
export const installCommand: Handler<[string[]], InstallOptions> = async (call) => {
  const { options, io, output, args } = call;
  const client: InstallClient = INSTALL_CLIENTS[options.client];
  const { name } = options;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new KairosError('USAGE', `${JSON.stringify(name)} is not a valid server name`, {
      hint: 'Use letters, digits, - and _.',
    });
  }
  if (options.client === 'gemini' && name.includes('_')) {
    throw new KairosError('USAGE', `${JSON.stringify(name)} is not a valid server name for Gemini CLI`, {
      hint: 'Use - instead of _: the policies of Gemini CLI read the text after the first _ as the name of a tool.',
    });
  }
  const { start, read } = serverStart(call, args[0]);
  if (!options.uninstall && !options.print) await refusePassing(start.args);
  const { chooseFile, editConfig, install } = await import('./install.ts');
  const file = await chooseFile(client, await configFile(client, call), name);
  if (options.print) {
    const text = editConfig('', { client, file, name, start });
    if (output.json) output.object({ client: options.client, file, text });
    else output.document(text);
    if (!output.json) output.note(`Entry for ${escapeForTerminal(file)}`);
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
    output.object({ client: options.client, file, change, backup, ...store });
  } else {
    tell(call, client, file, { change, backup });
    if (!options.uninstall) tellStore(call, store);
  }
  return EXIT.ok;
};

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
  output.print(options.uninstall ? `Removed from ${shown}` : `Written to ${shown}`);
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
async function refusePassing([program = '']: readonly string[]): Promise<void> {
  if (!/[\\/]_npx[\\/]/.test(program)) return;
  throw new KairosError('USAGE', `kairos runs from the cache of npx (${program}), which npm empties`, {
    hint: 'Install it first (npm install -g kairos-protocols), then run kairos install again.',
  });
}

async function configFile(client: InstallClient, { options, io }: InstallCall): Promise<string> {
  if (options.project === undefined) return client.userFile({ env: io.env, platform: process.platform });
  if (client.projectFile === null) {
    throw new KairosError('USAGE', `${client.title} has no project configuration`, {
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
