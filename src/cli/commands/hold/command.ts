import { Command, Option } from 'commander';
import { type Definition, GROUP } from '../../command.ts';
import type { GatewayOptions, HoldTestOptions, HookOptions } from './handler.ts';

/** Repeated here so that the help loads no other file. A test compares the two. */
export const HOOK_CLIENT_NAMES = ['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'] as const;

/** Clients pass few variables on, so `install` writes the folders into the command. */
const CONFIG_DIR = [
  '--config-dir <dir>',
  'configuration folder with the hold list (default: as for any command)',
] as const;
const DATA_DIR = [
  '--data-dir <dir>',
  'folder of the store, keys and trust (default: as for any command)',
] as const;

export const hookDefinition: Definition = (bind) =>
  bind<[(typeof HOOK_CLIENT_NAMES)[number]], HookOptions>(
    new Command('hook')
      .summary('answer a hook of an agent client')
      .description(
        'Reads one event of an agent client on standard input and prints its answer as JSON. Configure it as a command hook of the client.',
      )
      .addArgument(new Command().createArgument('<client>', 'client that calls').choices(HOOK_CLIENT_NAMES))
      .addOption(new Option('--event <name>', 'name of the event, for clients that do not send it'))
      .option(...CONFIG_DIR)
      .option(...DATA_DIR)
      .helpGroup(GROUP.agents),
    async () => (await import('./handler.ts')).hookCommand,
  );

export const gatewayDefinition: Definition = (bind) =>
  bind<[string[]], GatewayOptions>(
    new Command('gateway')
      .summary('enforce the hold list in front of an MCP server')
      .description(
        'Starts an MCP server and passes all messages between it and the client. Refuses tools of the hold list until a step demands them. A call that a step demands proves the step.',
      )
      .argument('[command...]', 'command of the MCP server, after --')
      .option('--name <name>', 'name of the server in hold lists and steps (default: any)')
      .option('--url <url>', 'reach a server over HTTP instead of starting one')
      .option(...CONFIG_DIR)
      .option(...DATA_DIR)
      .helpGroup(GROUP.agents),
    async () => (await import('./handler.ts')).gatewayCommand,
  );

export const holdDefinition: Definition = (bind) => {
  const hold = new Command('hold')
    .summary('see what agents may do only in a step of a protocol')
    .description(
      'Shows and tries the hold list: calls of an agent that wait for a step of a protocol. The list is hold.yaml in your configuration folder.',
    )
    .helpGroup(GROUP.agents);
  hold.addCommand(
    bind<[], unknown>(
      new Command('list').description('list the holds and where each comes from'),
      async () => (await import('./handler.ts')).holdListCommand,
    ),
  );
  hold.addCommand(
    bind<[string | undefined], HoldTestOptions>(
      new Command('test')
        .description('show whether a call is held, without a run; ends with 1 if it is')
        .argument('[command]', 'shell command')
        .option('--tool <name>', 'a tool, or SERVER/NAME, instead of a command')
        .option('--arguments <json>', 'arguments of the tool as JSON'),
      async () => (await import('./handler.ts')).holdTestCommand,
    ),
  );
  hold.addCommand(
    bind<[string | undefined], HoldTestOptions>(
      new Command('explain')
        .description('explain each hold that covers a call, and the step that would let it through')
        .argument('[command]', 'shell command')
        .option('--tool <name>', 'a tool, or SERVER/NAME, instead of a command')
        .option('--arguments <json>', 'arguments of the tool as JSON'),
      async () => (await import('./handler.ts')).holdExplainCommand,
    ),
  );
  return hold;
};
