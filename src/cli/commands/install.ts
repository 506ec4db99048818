import { join, resolve } from 'node:path';
import { KairosError } from '../../base/errors.ts';
import { escapeForTerminal } from '../../base/escape.ts';
import { INSTALL_CLIENTS, type InstallClient } from '../../mcp/install/clients.ts';
import type { Call, Handler } from '../command.ts';
import type { InstallOptions } from '../definitions/install.ts';
import { serverStart } from '../install/server-start.ts';
import { EXIT } from '../io.ts';

/** `kairos install`. With `--json`: `{client, file, change, backup}`; with `--print` too: `{client, file, text}`. */
export const installCommand: Handler<[string[]], InstallOptions> = async (call) => {
  const { options, io, output, args } = call;
  const client: InstallClient = INSTALL_CLIENTS[options.client];
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(options.name)) {
    throw new KairosError('USAGE', `${JSON.stringify(options.name)} is no name for a server`, {
      hint: 'Use letters, digits, - and _.',
    });
  }
  const { editConfig, install } = await import('../../mcp/install/install.ts');
  const file = configFile(client, call);
  const { start } = serverStart(call, args[0]);
  const request = { client, file, name: options.name, start: options.uninstall ? null : start };
  if (options.print) {
    const text = editConfig('', { ...request, start });
    if (output.json) output.object({ client: options.client, file, text });
    else output.document(text);
    if (!output.json) output.note(`This belongs into ${escapeForTerminal(file)}`);
    return EXIT.ok;
  }
  const outcome = await install(request, io.now());
  if (output.json) output.object({ client: options.client, file, ...outcome });
  else tell(call, client, file, outcome);
  return EXIT.ok;
};

function tell(
  { output, options }: Call<[string[]], InstallOptions>,
  { title }: InstallClient,
  file: string,
  { change, backup }: { change: string; backup: string | null },
): void {
  const shown = escapeForTerminal(file);
  if (change === 'none') {
    output.print(options.uninstall ? `Nothing to take out of ${shown}` : `Unchanged: ${shown}`);
    return;
  }
  output.print(options.uninstall ? `Taken out of ${shown}` : `Written into ${shown}`);
  if (backup !== null) output.print(`As it was before: ${escapeForTerminal(backup)}`);
  output.print(`Restart ${title} to make it take notice.`);
}

function configFile(client: InstallClient, { options, io }: Call<[string[]], InstallOptions>): string {
  if (options.project === undefined) return client.userFile({ env: io.env, platform: process.platform });
  if (client.projectFile === null) {
    throw new KairosError('USAGE', `${client.title} reads no configuration from projects`, {
      hint: 'Leave --project out.',
    });
  }
  return join(resolve(io.cwd, options.project === true ? '.' : options.project), client.projectFile);
}
