import { Command } from 'commander';
import type { Bind, Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { policyOption } from '../policy-option.ts';
import type { AnswerOptions } from './options.ts';

export const proposalDefinition: Definition = (bind) =>
  new Command('proposal')
    .summary('propose consequential steps, approve or deny them')
    .description('Works with the proposals of runs: what is asked, what was decided, who approved.')
    .addCommand(fresh(bind))
    .addCommand(validate(bind))
    .addCommand(submit(bind))
    .addCommand(answer(bind, 'approve', 'approve a proposal that another person made'))
    .addCommand(answer(bind, 'deny', 'deny a proposal, which ends it'))
    .addCommand(list(bind))
    .addCommand(show(bind))
    .addCommand(
      new Command('policy')
        .summary('check the policy for proposals')
        .description('Checks the policy that proposals are judged by.')
        .addCommand(check(bind)),
    )
    .helpGroup(GROUP.walk);

function fresh(bind: Bind): Command {
  return bind<[string], unknown>(
    new Command('new')
      .summary('print the proposal of the pending step, filled in as far as possible')
      .description('Prints the proposal of the pending step of a run, filled in as far as possible.')
      .argument('<run>', 'id of the run')
      .addOption(policyOption()),
    async () => (await import('./new.ts')).proposalNewCommand,
  );
}

function validate(bind: Bind): Command {
  return bind<[string, string], unknown>(
    new Command('validate')
      .summary("show the gate's decision and record nothing")
      .description('Judges a proposal for the pending step and records nothing.')
      .argument('<run>', 'id of the run')
      .argument('<file>', 'the proposal as JSON; - for standard input')
      .addOption(policyOption()),
    async () => (await import('./validate.ts')).proposalValidateCommand,
  );
}

function submit(bind: Bind): Command {
  return bind<[string, string | undefined], unknown>(
    new Command('submit')
      .summary('submit a proposal to the gate')
      .description(
        'Submits a proposal for the pending step. Without a file, the newest proposal is judged again.',
      )
      .argument('<run>', 'id of the run')
      .argument('[file]', 'the proposal as JSON; - for standard input')
      .addOption(policyOption()),
    async () => (await import('./submit.ts')).proposalSubmitCommand,
  );
}

function answer(bind: Bind, name: 'approve' | 'deny', summary: string): Command {
  const command = new Command(name);
  if (name === 'deny') command.option('--reason <text>', 'why, for the record and for the proposer');
  return bind<[string, string | undefined], AnswerOptions>(
    command
      .summary(summary)
      .description(
        'Shows a proposal, asks, and records the answer: signed with an SSH key, with a statement that was signed elsewhere, or at this terminal where the policy permits it. Without a terminal the whole hash has to be given.',
      )
      .argument('<run>', 'id of the run')
      .argument(
        '[hash]',
        'hash of the proposal; at a terminal its beginning will do (default: the newest of the pending step)',
      )
      .option('--key <file>', 'sign with this SSH key')
      .option('--statement <file>', 'a statement signed elsewhere; with --signature')
      .option('--signature <file>', 'its SSH signature')
      .addOption(policyOption()),
    async () => {
      const { answerCommand } = await import('./answer.ts');
      return answerCommand(name);
    },
  );
}

function list(bind: Bind): Command {
  return bind<[string], unknown>(
    new Command('list')
      .summary('list the proposals of a run')
      .description('Lists the proposals of a run and their decisions.')
      .argument('<run>', 'id of the run'),
    async () => (await import('./list.ts')).proposalListCommand,
  );
}

function show(bind: Bind): Command {
  return bind<[string, string | undefined], unknown>(
    new Command('show')
      .summary('show a proposal and its approvals')
      .description('Shows a proposal, its decision, and who approved or denied it.')
      .argument('<run>', 'id of the run')
      .argument('[hash]', 'hash of the proposal, or its beginning (default: the newest)')
      .addOption(policyOption()),
    async () => (await import('./show.ts')).proposalShowCommand,
  );
}

function check(bind: Bind): Command {
  return bind<[string | undefined], unknown>(
    new Command('check')
      .summary('check the policy and print its contents')
      .description(
        'Reads the policy as the gate does and prints its path, whether it is valid, and its digest.',
      )
      .argument('[file]', 'a policy other than the one in your configuration folder'),
    async () => (await import('./policy-check.ts')).policyCheckCommand,
  );
}
