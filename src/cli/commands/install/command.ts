import { Command, Option } from 'commander';
import { type Definition, GROUP } from '../../command.ts';
import type { InstallOptions } from './clients.ts';

/** Repeated here so that the help loads no other file. A test compares the two. */
export const CLIENTS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'opencode',
  'copilot',
  'qwen',
  'cline',
] as const;

export const installDefinition: Definition = (bind) =>
  bind<[string | undefined, string[]], InstallOptions>(
    new Command('install')
      .summary('add this server to an agent client')
      .description(
        "Adds this server to a client's configuration, or with --hold the hooks that enforce your hold list. Everything else in the file stays, and a copy of the old file is kept. Arguments after -- go to kairos serve.",
      )
      .argument('[client]', `client to configure: ${CLIENTS.join(', ')}`)
      .argument('[options...]', 'options for kairos serve, after --')
      .addOption(new Option('--client <name>', 'client to configure').choices(CLIENTS))
      .option('--project [dir]', "use the project's file instead of the user's (default: here)")
      .option('--name <name>', 'name of the server in the client', 'kairos')
      .option('--hold', 'add the hooks that enforce hold.yaml, instead of the server')
      .option('--gateway [servers...]', 'put servers of the client behind kairos gateway (default: all)')
      .addOption(new Option('--print', 'print the entry and write nothing').conflicts('uninstall'))
      .option(
        '--uninstall',
        'remove everything that kairos added; with --hold only the hooks, with --gateway only the gateways',
      )
      .helpGroup(GROUP.agents),
    async () => (await import('./handler.ts')).installCommand,
  );
