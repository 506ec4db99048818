import { Command } from 'commander';
import type { Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';

export const answerDefinition: Definition = (bind) =>
  bind<[string, string | undefined], unknown>(
    new Command('answer')
      .summary('answer what a run asks a person')
      .description(
        'Answers the question of an open run from another terminal, for runs that an agent walks too. Without a text the question is shown.',
      )
      .argument('<run>', 'id of the run, a unique beginning of it, or latest')
      .argument('[text]', 'the answer')
      .helpGroup(GROUP.walk),
    async () => (await import('./handler.ts')).answerCommand,
  );
