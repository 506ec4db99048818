import type { EntryData, EntryKind } from '../../ledger/entry.ts';
import { attest } from '../../operations/attest.ts';
import { next } from '../../operations/next.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { Assurance, ProofOfWork } from '../../protocol/schema.ts';
import { record, skipStep } from '../../run/service/next.ts';
import type { RunState } from '../../run/state.ts';
import type { WalkFields } from '../../run/walk-fields.ts';
import { resolveCommand } from '../../run-host/shell-step.ts';
import { type Asked, ask, menu } from './ask.ts';
import { solveMcp } from './mcp-step.ts';
import { type AskingStation, proofQuestion, runQuestion, stepOf } from './questions.ts';
import { type RunSession, STOPS, type Stop } from './session.ts';
import { runShellStep } from './shell-step.ts';

/** What came of working on a station: the engine's answer, or why the walk stops. */
export type Solved =
  | { kind: 'fields'; fields: WalkFields; assurance: Assurance | null }
  | Stop
  | { kind: 'again' };

/** What is needed to work on the pending station. */
export interface Work {
  session: RunSession;
  state: RunState;
  station: AskingStation;
  /** The newest answer of the engine, with the challenge to bind to. */
  fields: WalkFields;
}

/** Obtains the proof of the pending station and hands it in. */
export async function solveStation(work: Work): Promise<Solved> {
  const { demand } = work.station;
  if (demand.type === 'shell') return solveShell(work, demand.shell);
  if (demand.type === 'mcp' && demand.mcp.server !== undefined)
    return solveMcp(work, demand.mcp, demand.mcp.server);
  return solveByHand(work);
}

/** Binds a payload to the challenge shown and gives it to the engine. */
export async function submit(
  { session, state, station, fields }: Work,
  payload: object,
  assurance: Assurance,
  prelude: { kind: EntryKind; data: EntryData }[] = [],
): Promise<Solved> {
  const { nonce, proof_hash } = fields.challenge ?? {};
  const answer = await next(
    session.ctx,
    {
      uri: stepUri(state.chainId, station.step),
      run_id: session.runId,
      solution: { ...payload, nonce, proof_hash },
    },
    { assurance, prelude },
  );
  return { kind: 'fields', fields: answer, assurance };
}

/** What a stop offers here: an optional step may be skipped. */
export function actionsFor({ station }: Work, first: 'run' | 'retry') {
  const skippable = station.kind === 'proof' && !station.demand.required;
  return [first, 'details', ...(skippable ? (['skip'] as const) : []), 'abort'] as const;
}

/** Skips an optional step; the reason is required and goes on record. */
export async function skip(work: Work): Promise<Solved> {
  const { session, station } = work;
  const reason = await ask(session, {
    kind: 'text',
    name: 'skip',
    step: stepOf(session.content, station),
    message: 'Why is this step skipped?',
    check: (text) => text.trim().length > 0 || 'A reason is needed.',
  });
  if (reason.kind === 'stop') return reason;
  if (reason.kind === 'interrupted') return { kind: 'again' };
  return {
    kind: 'fields',
    fields: await skipStep(session.ctx, session.runId, String(reason.value)),
    assurance: null,
  };
}

async function solveShell(
  work: Work,
  shell: Extract<ProofOfWork, { type: 'shell' }>['shell'],
): Promise<Solved> {
  const { session, station, state } = work;
  const resolved = await resolveCommand({ root: session.root, env: session.io.env }, shell);
  await session.reporter.command(resolved.info);
  if (resolved.missing.length > 0)
    session.reporter.note(`Not set in the environment: ${resolved.missing.join(', ')}`);

  const consent = await mayRun(work, shell.cmd, resolved.info.danger !== null);
  if (consent !== 'run') return consent;

  const { solution, finished, interrupted } = await runShellStep(session, station.step, shell, resolved);
  const prelude = [{ kind: 'command.finished' as const, data: finished }];
  if (!interrupted) return submit(work, solution, 'observed', prelude);
  // Ctrl-C is nobody's failure: the end of the command goes on record, and the run asks what to do.
  await record(session.ctx, state.runId, 'command.finished', finished);
  if (session.interrupts.exitCode !== null) return STOPS.signal(session.interrupts.exitCode);
  return afterInterrupt(work);
}

/** Consent to run a command: a menu for people, a confirmation for pipes, a typed phrase for what could destroy. */
async function mayRun(work: Work, cmd: string, dangerous: boolean): Promise<'run' | Solved> {
  const { session, station } = work;
  const step = stepOf(session.content, station);
  if (!dangerous && session.yes) return 'run';
  if (!dangerous && session.prompter.interactive) {
    const choice = await menu(session, step, 'Run this command?', actionsFor(work, 'run'));
    if (choice === 'skip') return skip(work);
    if (choice === 'details') return details(work);
    if (choice === 'run' || choice === null) return 'run';
    return typeof choice === 'string' ? STOPS.aborted() : choice;
  }
  const answer = await ask(session, runQuestion(session.content, station, cmd));
  if (answer.kind === 'interrupted') return afterInterrupt(work);
  if (answer.kind === 'stop') return answer;
  return answer.value === true
    ? 'run'
    : session.prompter.interactive
      ? afterInterrupt(work)
      : STOPS.aborted();
}

/** A person's own answer: text, choice, account, or the result of a tool called elsewhere. */
async function solveByHand(work: Work): Promise<Solved> {
  const { session, station } = work;
  const question = proofQuestion(session.content, station, session.tools)!;
  const answer = await ask(session, question);
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
    default:
      return submit(work, { type: 'comment', comment: { text } }, answer.assurance);
  }
}

/** The closing comment goes in as the message of attest, and seals the run. */
async function close(
  work: Work,
  message: string,
  answer: Extract<Asked<unknown>, { kind: 'answer' }>,
): Promise<Solved> {
  const { session, state, station } = work;
  const fields = await attest(
    session.ctx,
    { uri: stepUri(state.chainId, station.step), run_id: session.runId, outcome: 'success', message },
    { assurance: answer.assurance },
  );
  return { kind: 'fields', fields, assurance: answer.assurance };
}

/** After Ctrl-C in a question or a command: try again, skip where that is allowed, or stop here. */
export async function afterInterrupt(work: Work): Promise<Solved> {
  const { session, station } = work;
  const choice = await menu(
    session,
    stepOf(session.content, station),
    'Interrupted. What now?',
    actionsFor(work, 'retry'),
  );
  if (choice === 'retry') return { kind: 'again' };
  if (choice === 'skip') return skip(work);
  if (choice === 'details') return details(work);
  return choice === null || typeof choice === 'string' ? STOPS.aborted() : choice;
}

/** Shows what the step demands, in full, and comes back to it. */
export async function details({ session, station }: Work): Promise<Solved> {
  session.reporter.note(JSON.stringify({ ...station.block, proof_of_work: station.demand }, null, 2));
  return { kind: 'again' };
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

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
