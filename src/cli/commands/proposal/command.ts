import { Command } from 'commander';
import { type Bind, type Definition, GROUP, outOption, policyOption } from '../../command.ts';
import { policyCheck } from '../policy/command.ts';
import type { AnswerOptions } from './answer.ts';
import type { RequestOptions, SignOptions } from './elsewhere.ts';

export const proposalDefinition: Definition = (bind) =>
  new Command('proposal')
    .summary('propose consequential steps, approve or deny them')
    .description('Works with the proposals of runs: what is asked, what was decided, who approved.')
    .addCommand(fresh(bind))
    .addCommand(validate(bind))
    .addCommand(submit(bind))
    .addCommand(answer(bind, 'approve', 'approve a proposal that another person made'))
    .addCommand(answer(bind, 'deny', 'deny a proposal, which ends it'))
    .addCommand(request(bind))
    .addCommand(sign(bind))
    .addCommand(submitAnswer(bind))
    .addCommand(list(bind))
    .addCommand(show(bind))
    .addCommand(
      new Command('policy')
        .summary('check the policy for proposals')
        .description('Checks the policy that proposals are judged by.')
        .addCommand(policyCheck(bind)),
    )
    .helpGroup(GROUP.walk);

function fresh(bind: Bind): Command {
  return bind<[string], unknown>(
    new Command('new')
      .summary('print the proposal of the pending step, filled in as far as possible')
      .description('Prints the proposal of the pending step of a run, filled in as far as possible.')
      .argument('<run>', 'id of the run')
      .addOption(policyOption()),
    async () => (await import('./submit.ts')).proposalNewCommand,
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
    async () => (await import('./submit.ts')).proposalValidateCommand,
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
      const { decideProposalCommand } = await import('./answer.ts');
      return decideProposalCommand(name);
    },
  );
}

function request(bind: Bind): Command {
  return bind<[string, string | undefined], RequestOptions>(
    new Command('request')
      .summary('write a proposal to a file that an approver elsewhere can sign')
      .description(
        'Writes everything that an approver has to see, and the statement to sign, to one file. It needs no store where it is signed.',
      )
      .argument('<run>', 'id of the run')
      .argument('[hash]', 'hash of the proposal, or its beginning (default: the newest of the pending step)')
      .addOption(outOption())
      .addOption(policyOption()),
    async () => (await import('./elsewhere.ts')).proposalRequestCommand,
  );
}

function sign(bind: Bind): Command {
  return bind<[string, string | undefined], SignOptions>(
    new Command('sign')
      .summary('show the proposal of a request file, and sign an answer to it')
      .description(
        'Shows the proposal of a request file, asks, and signs the answer. Without a terminal the whole hash has to be given.',
      )
      .argument('<file>', 'the request; - for standard input')
      .argument('[hash]', 'hash of the proposal')
      .requiredOption('--key <file>', 'sign with this SSH key')
      .option('--deny', 'deny it instead of approving it')
      .option('--reason <text>', 'why it is denied; with --deny')
      .addOption(outOption()),
    async () => (await import('./elsewhere.ts')).proposalSignCommand,
  );
}

function submitAnswer(bind: Bind): Command {
  return bind<[string], unknown>(
    new Command('submit-answer')
      .summary('record an answer that was signed elsewhere')
      .description('Records an answer that kairos proposal sign has written.')
      .argument('<file>', 'the answer; - for standard input')
      .addOption(policyOption()),
    async () => (await import('./elsewhere.ts')).proposalSubmitAnswerCommand,
  );
}

function list(bind: Bind): Command {
  return bind<[string | undefined], unknown>(
    new Command('list')
      .summary('list the proposals of a run, or those that wait in any')
      .description(
        'Lists the proposals of a run and their decisions. Without a run: the proposals of every open run that wait, and for whom.',
      )
      .argument('[run]', 'id of the run (default: every open run of the space)'),
    async () => (await import('./show.ts')).proposalListCommand,
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
