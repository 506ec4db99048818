import { Command } from 'commander';
import { type Definition, GROUP } from '../../command.ts';

export const doctorDefinition: Definition = (bind) =>
  bind<[], unknown>(
    new Command('doctor')
      .summary('check this installation and report problems')
      .description(
        'Looks at Node.js, SQLite, the store, trust, the sealing key, the policy, configurations, MCP clients and the terminal. It makes and changes nothing, and ends with 1 when something is broken.',
      )
      .helpGroup(GROUP.setup),
    async () => (await import('./handler.ts')).doctorCommand,
  );
