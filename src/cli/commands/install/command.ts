import { Command, Option } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import type { InstallOptions } from './options.ts';

/** Repeated here so that the help needs no other file; a test holds the two together. */
const CLIENTS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'opencode',
  'copilot',
] as const;

export const installDefinition: Definition = (bind) =>
  bind<[string[]], InstallOptions>(
    new Command('install')
      .summary('let an agent client start this server')
      .description(
        "Writes this server into a client's configuration: everything else in it stays, and the file as it was is kept beside it. What follows -- is given to kairos serve.",
      )
      .argument('[options...]', 'options for kairos serve, after --')
      .addOption(new Option('--client <name>', 'which client').choices(CLIENTS).makeOptionMandatory())
      .option('--project [dir]', "the project's file instead of your own (default: here)")
      .option('--name <name>', 'what the client calls the server', 'kairos')
      .addOption(
        new Option('--print', 'print what belongs into the file, and write nothing').conflicts('uninstall'),
      )
      .option('--uninstall', 'take it out again')
      .helpGroup(GROUP.agents),
    async () => (await import('./handler.ts')).installCommand,
  );
