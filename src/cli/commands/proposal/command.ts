import { Command } from 'commander';
import type { Bind, Definition } from '../../command.ts';
import { GROUP } from '../groups.ts';
import { policyOption } from '../policy-option.ts';
import type { AnswerOptions } from './options.ts';

export const proposalDefinition: Definition = (bind) =>
  new Command('proposal')
    .summary('propose consequential steps, approve or deny them')
    .description('Works on the proposals of runs: what is asked for, what was decided, who has approved.')
    .addCommand(fresh(bind))
    .addCommand(validate(bind))
    .addCommand(submit(bind))
    .addCommand(answer(bind, 'approve', 'say yes to a proposal of somebody else'))
    .addCommand(answer(bind, 'deny', 'say no to a proposal, which ends it'))
    .addCommand(list(bind))
    .addCommand(show(bind))
    .addCommand(
      new Command('policy')
        .summary('look at the policy that proposals are judged by')
        .description('Looks at the policy that proposals are judged by.')
        .addCommand(check(bind)),
    )
    .helpGroup(GROUP.walk);

function fresh(bind: Bind): Command {
  return bind<[string], unknown>(
    new Command('new')
      .summary('print the proposal of the pending step, filled as far as it can be')
      .description('Prints the proposal of the pending step of a run, filled as far as it can be.')
      .argument('<run>', 'id of the run')
      .addOption(policyOption()),
    async () => (await import('./new.ts')).proposalNewCommand,
  );
}

function validate(bind: Bind): Command {
  return bind<[string, string], unknown>(
    new Command('validate')
      .summary('see what the gate would say, and record nothing')
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
      .summary('have a proposal judged')
      .description(
        'Has a proposal judged for the pending step. Without a file the newest one is judged again.',
      )
      .argument('<run>', 'id of the run')
      .argument('[file]', 'the proposal as JSON; - for standard input')
      .addOption(policyOption()),
    async () => (await import('./submit.ts')).proposalSubmitCommand,
  );
}

function answer(bind: Bind, name: 'approve' | 'deny', summary: string): Command {
  return bind<[string, string | undefined], AnswerOptions>(
    new Command(name)
      .summary(summary)
      .description(
        'Answers a proposal: signed with an SSH key, with a statement that was signed elsewhere, or at this terminal where the policy permits it.',
      )
      .argument('<run>', 'id of the run')
      .argument('[hash]', 'hash of the proposal, or its beginning (default: the newest of the pending step)')
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
      .description('Lists the proposals of a run with what was decided on them.')
      .argument('<run>', 'id of the run'),
    async () => (await import('./list.ts')).proposalListCommand,
  );
}

function show(bind: Bind): Command {
  return bind<[string, string | undefined], unknown>(
    new Command('show')
      .summary('show a proposal and who has answered it')
      .description('Shows a proposal, what was decided on it and who has answered it.')
      .argument('<run>', 'id of the run')
      .argument('[hash]', 'hash of the proposal, or its beginning (default: the newest)')
      .addOption(policyOption()),
    async () => (await import('./show.ts')).proposalShowCommand,
  );
}

function check(bind: Bind): Command {
  return bind<[string | undefined], unknown>(
    new Command('check')
      .summary('read the policy and say what it holds')
      .description(
        'Reads the policy as the gate does: where it lies, whether it can be used, and its digest.',
      )
      .argument('[file]', 'another policy than the one in your configuration folder'),
    async () => (await import('./policy-check.ts')).policyCheckCommand,
  );
}
