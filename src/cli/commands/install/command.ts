import { Command, Option } from 'commander';
import { type Definition, GROUP } from '../../command.ts';
import type { InstallOptions } from './clients.ts';

/** Repeated here so that the help loads no other file. A test compares the two. */
const CLIENTS = [
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
  bind<[string[]], InstallOptions>(
    new Command('install')
      .summary('add this server to an agent client')
      .description(
        "Adds this server to a client's configuration. Everything else in the file stays, and a copy of the old file is kept. Arguments after -- go to kairos serve.",
      )
      .argument('[options...]', 'options for kairos serve, after --')
      .addOption(new Option('--client <name>', 'client to configure').choices(CLIENTS).makeOptionMandatory())
      .option('--project [dir]', "use the project's file instead of the user's (default: here)")
      .option('--name <name>', 'name of the server in the client', 'kairos')
      .addOption(new Option('--print', 'print the entry and write nothing').conflicts('uninstall'))
      .option('--uninstall', 'remove the entry')
      .helpGroup(GROUP.agents),
    async () => (await import('./handler.ts')).installCommand,
  );
