import { Command } from 'commander';
import { type Definition, GROUP } from '../../command.ts';

const KEYS = 'store, space, or embedding_provider, _model, _url, _api_key';

export const configDefinition: Definition = (bind) => {
  const config = bind<[], unknown>(
    new Command('config')
      .summary('show the configuration and where each value comes from')
      .description(
        'Shows every setting that applies here and its source: an option, the environment, your own file, or the default. Only your own file is written.',
      )
      .helpGroup(GROUP.setup),
    async () => (await import('./handler.ts')).configCommand,
  );
  config.addCommand(
    bind<[string], unknown>(
      new Command('get')
        .description('print one value')
        .argument('<key>', 'name of the setting, as `kairos config` prints it'),
      async () => (await import('./handler.ts')).configGetCommand,
    ),
  );
  config.addCommand(
    bind<[string, string], unknown>(
      new Command('set')
        .description('set a value in your configuration file')
        .argument('<key>', KEYS)
        .argument('<value>', 'new value'),
      async () => (await import('./handler.ts')).configSetCommand,
    ),
  );
  config.addCommand(
    bind<[string], unknown>(
      new Command('unset').description('remove a value from your configuration file').argument('<key>', KEYS),
      async () => (await import('./handler.ts')).configUnsetCommand,
    ),
  );
  config.addCommand(
    bind<[], unknown>(
      new Command('path').description('print the path of your configuration file'),
      async () => (await import('./handler.ts')).configPathCommand,
    ),
  );
  return config;
};
