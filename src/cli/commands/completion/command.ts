import { Argument, Command } from 'commander';
import { type Definition, GROUP } from '../../command.ts';

export const completionDefinition: Definition = (bind) => {
  const completion = bind<[string], unknown>(
    new Command('completion')
      .summary('print the script that lets a shell complete commands')
      .description(
        'Prints a script for your shell. For bash: kairos completion bash > ~/.local/share/bash-completion/completions/kairos. For fish: kairos completion fish > ~/.config/fish/completions/kairos.fish. For zsh, save it as _kairos in a folder of fpath; for PowerShell, add it to your profile.',
      )
      .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish', 'powershell']))
      .helpGroup(GROUP.setup),
    async () => (await import('./handler.ts')).completionCommand,
  );
  // The scripts call this on every Tab.
  completion.addCommand(
    bind<[string[]], unknown>(new Command('complete').argument('[words...]'), async () =>
      (await import('./handler.ts')).completeCommand(rootOf(completion)),
    ),
    { hidden: true },
  );
  return completion;
};

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
