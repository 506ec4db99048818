import { jsonOrText } from '../../../base/json.ts';
import { resolveCommand, type ShellDefinition, withVariables } from '../../../host/commands/shell-step.ts';
import { attest } from '../../../operations/attest.ts';
import { record } from '../../../operations/next.ts';
import { capturesSecret, lostSecrets } from '../../../operations/run/inputs.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { ProofOfWork } from '../../../protocol/schema.ts';
import { MESSAGES } from '../../../run/wording.ts';
import { openGuard, usePermit } from './guard.ts';
import { solveMcp } from './mcp-step.ts';
import { proofQuestion, runQuestion, stepOf } from './questions.ts';
import { type AnswerOrStop, askQuestion, menu, RUN_EXIT, STOPS, stop } from './session.ts';
import {
  actionsFor,
  afterInterrupt,
  announceCommand,
  details,
  runShellStep,
  type Solved,
  type StepContext,
  skip,
  submit,
} from './work.ts';

/** Obtains and submits the proof of the pending station. A gated step needs an allowed proposal first. */
export async function solveStation(pending: StepContext): Promise<Solved> {
  const allowed = await openGuard(pending);
  if ('kind' in allowed) return allowed;
  const { demand } = allowed.station;
  if (demand.type === 'shell') return solveShell(allowed, demand.shell);
  if (demand.type === 'mcp' && demand.mcp.server !== undefined)
    return solveMcp(allowed, demand.mcp, demand.mcp.server);
  const work = await usePermit(allowed);
  return 'kind' in work ? work : solveByHand(work);
}

async function solveShell(allowed: StepContext, shell: ShellDefinition): Promise<Solved> {
  const { session, station, state } = allowed;
  const lost = Object.keys(lostSecrets(session.ctx, allowed));
  if (lost.length > 0) {
    const resume = session.ctx.commandLine(['resume', session.runId]);
    return stop(RUN_EXIT.inputNeeded, MESSAGES.secretsMissing(lost, resume));
  }
  const variables = { ...state.values, ...session.ctx.runSecrets?.of(session.runId), ...allowed.environment };
  const given = withVariables(session.io.env, shell, variables);
  const resolved = await resolveCommand({ root: session.root, env: given.env }, given.shell);
  await announceCommand(session, resolved);

  const consent = await mayRun(allowed, shell, resolved.info.danger !== null);
  if (consent !== 'run') return consent;

  const work = await usePermit(allowed);
  if ('kind' in work) return work;
  const ran = await runShellStep(session, station.step, shell, resolved, {
    isSecret: capturesSecret(station.block),
    state: work.state,
  });
  if (ran === null) return { kind: 'again' };
  const { solution, finished, interrupted } = ran;
  const prelude = [{ kind: 'command.finished' as const, data: finished }];
  if (!interrupted) return submit(work, solution, 'observed', prelude);
  // An interrupted command isn't a failed proof. Record that it ended, then ask what to do.
  await record(session.ctx, state.runId, 'command.finished', finished);
  if (session.interrupts.exitCode !== null) return STOPS.signal(session.interrupts.exitCode);
  return afterInterrupt(work);
}

/** Asks before a command runs: with a menu for people, a confirmation for pipes, and a typed phrase for a dangerous command. */
async function mayRun(
  work: StepContext,
  shell: ShellDefinition,
  dangerous: boolean,
): Promise<'run' | Solved> {
  const { session, station } = work;
  const step = stepOf(session.content, station);
  if (!dangerous && (session.yes || work.triesAgain)) return 'run';
  if (!dangerous && session.prompter.interactive) {
    const choice = await menu(session, step, 'Run this command?', actionsFor(work, 'run'));
    if (choice === 'skip') return skip(work);
    if (choice === 'details') return details(work);
    if (choice === 'run' || choice === null) return 'run';
    return typeof choice === 'string' ? STOPS.aborted() : choice;
  }
  const answer = await askQuestion(session, runQuestion(session.content, station, shell));
  if (answer.kind === 'interrupted') return afterInterrupt(work);
  if (answer.kind === 'stop') return answer;
  return answer.value === true
    ? 'run'
    : session.prompter.interactive
      ? afterInterrupt(work, 'The command was not run. What now?')
      : STOPS.aborted();
}

/** Asks a person for the proof: a text, a choice, an account or a tool's result. */
async function solveByHand(work: StepContext): Promise<Solved> {
  const { session, station } = work;
  const question = proofQuestion(session.content, station, session.tools)!;
  const answer = await askQuestion(session, question);
  if (answer.kind === 'stop') return answer;
  if (answer.kind === 'interrupted') return afterInterrupt(work);
  const text = String(answer.value);
  if (station.kind === 'closing') return close(work, text, answer);
  switch (station.demand.type) {
    case 'user_input':
      return submit(
        work,
        {
          type: 'user_input',
          user_input: { confirmation: text, timestamp: new Date(session.ctx.clock()).toISOString() },
        },
        answer.assurance,
      );
    case 'mcp':
      return submit(work, reportedCall(station.demand.mcp, text), answer.assurance);
    case 'sampling':
      return submit(work, { type: 'sampling', sampling: { result: text } }, answer.assurance);
    default:
      return submit(work, { type: 'comment', comment: { text } }, answer.assurance);
  }
}

/** Seals the run with the closing comment. */
async function close(
  work: StepContext,
  message: string,
  answer: Extract<AnswerOrStop<unknown>, { kind: 'answer' }>,
): Promise<Solved> {
  const { session, state, station } = work;
  const fields = await attest(
    session.ctx,
    { uri: stepUri(state.chainId, station.step), run_id: session.runId, outcome: 'success', message },
    { assurance: answer.assurance },
  );
  return { kind: 'fields', fields, assurance: answer.assurance };
}

function reportedCall(mcp: Extract<ProofOfWork, { type: 'mcp' }>['mcp'], text: string): object {
  return {
    type: 'mcp',
    mcp: {
      tool_name: mcp.tool_name,
      ...(mcp.arguments === undefined ? {} : { arguments: mcp.arguments }),
      result: jsonOrText(text),
      success: true,
    },
  };
}
