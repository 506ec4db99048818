import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';

const KEYS = 'store, space, or embedding_provider, _model, _url, _api_key';

export const configDefinition: Definition = (bind) => {
  const config = bind<[], unknown>(
    new Command('config')
      .summary('show what is configured, and where each value comes from')
      .description(
        'Shows every setting that counts here with where it comes from: an option, the environment, your own file, or the default. Only your own file is written.',
      )
      .helpGroup(GROUP.setup),
    async () => (await import('./handler.ts')).configCommand,
  );
  config.addCommand(
    bind<[string], unknown>(
      new Command('get').description('print one value').argument('<key>', 'as `kairos config` names it'),
      async () => (await import('./handler.ts')).configGetCommand,
    ),
  );
  config.addCommand(
    bind<[string, string], unknown>(
      new Command('set')
        .description('write a value into your own file')
        .argument('<key>', KEYS)
        .argument('<value>', 'its new value'),
      async () => (await import('./handler.ts')).configSetCommand,
    ),
  );
  config.addCommand(
    bind<[string], unknown>(
      new Command('unset').description('take a value out of your own file').argument('<key>', KEYS),
      async () => (await import('./handler.ts')).configUnsetCommand,
    ),
  );
  config.addCommand(
    bind<[], unknown>(
      new Command('path').description('print where your own file is, or would be'),
      async () => (await import('./handler.ts')).configPathCommand,
    ),
  );
  return config;
};
