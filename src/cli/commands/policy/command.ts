import { Command, Option } from 'commander';
import { ACTION_TYPES } from '../../../protocol/terms.ts';
import { type Bind, collect, type Definition, GROUP, policyOption } from '../../command.ts';
import type { ExplainOptions } from './handler.ts';

export const policyDefinition: Definition = (bind) =>
  new Command('policy')
    .summary('check, test and explain the policy for proposals')
    .description('Works with the policy that proposals are judged by.')
    .addCommand(policyCheck(bind))
    .addCommand(test(bind))
    .addCommand(explain(bind))
    .helpGroup(GROUP.walk);

/** Also used by `kairos proposal policy`. */
export function policyCheck(bind: Bind): Command {
  return bind<[string | undefined], unknown>(
    new Command('check')
      .summary('check the policy and print its contents')
      .description(
        'Reads the policy as the gate does and prints its path, whether it is valid, and its digest.',
      )
      .argument('[file]', 'a policy other than the one in your configuration folder'),
    async () => (await import('./handler.ts')).policyCheckCommand,
  );
}

function test(bind: Bind): Command {
  return bind<[string[]], unknown>(
    new Command('test')
      .summary('try decision cases on a policy')
      .description(
        'Asks the gate about each case of the files and compares the decision with the expected one. Exit 0: every case passes; 1: a case fails; 2: a file or its policy is invalid. Nothing is recorded.',
      )
      .argument('<files...>', 'files of cases (YAML or JSON), each with its policy next to it')
      .addOption(new Option('--policy <file>', 'test this policy instead of the one that the files name')),
    async () => (await import('./handler.ts')).policyTestCommand,
  );
}

function explain(bind: Bind): Command {
  return bind<[string | undefined, string | undefined], ExplainOptions>(
    new Command('explain')
      .summary('show which rule of the policy decides, and why')
      .description(
        'Shows how each rule of the policy judges a proposal of a run, or to an action that the options name, and which rule decides. Nothing is recorded.',
      )
      .argument('[run]', 'id of the run, a unique beginning of it, or latest')
      .argument('[hash]', 'hash of the proposal, or its beginning (default: the newest of the pending step)')
      .addOption(new Option('--action <type>', 'without a run: the action').choices(ACTION_TYPES))
      .option('--resource-type <type>', 'type of the target')
      .option('--resource-id <id>', 'id of the target')
      .option('--domain <domain>', 'domain of the target')
      .option('--actor <name>', 'who proposes it (default: you)')
      .option('--effect <name>', 'a side effect of the step; repeatable', collect)
      .option('--at <instant>', 'when it is done, RFC 3339 (default: now)')
      .addOption(policyOption()),
    async () => (await import('./handler.ts')).policyExplainCommand,
  );
}
