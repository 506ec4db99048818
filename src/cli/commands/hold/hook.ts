import { resolve } from 'node:path';
import { setProgram } from '../../../base/command-line.ts';
import type { AgentCall, HoldMatch, SessionRun } from '../../../gate/holds.ts';
import { realPathOf, userFolders } from '../../../host/files/paths.ts';
import { loadHolds, readSession, type SessionNote, writeSession } from '../../../host/hold-files.ts';
import { checkHolds, commandCall, namesHeld } from '../../../operations/hold.ts';
import { HOLD } from '../../../run/wording.ts';
import type { CommonOptions } from '../../command.ts';
import { type CliIo, EXIT, writeShort } from '../../io.ts';
import { HOOK_CLIENTS, type HookClientName } from './clients.ts';
import { type HookAnswer, type HookCall, type HookEvent, jsonMapping, runIdIn } from './hook-event.ts';

const NONE: HookAnswer = { kind: 'none' };
/** How many times kairos makes a session without progress continue before it may stop. */
const MAX_SENT = 3;
/** What a hook adds to an agent's context, in bytes. */
const MAX_CONTEXT = 2048;

/** A call of `kairos hook`. */
export interface HookCommand {
  client: HookClientName;
  options: CommonOptions;
  /** For a client that doesn't name its event. */
  event?: string;
}

type HookCallContext = HookCommand & { io: CliIo };

/**
 * `kairos hook CLIENT`: reads one event on standard input and writes the client's answer. Ends with 0, since the answer is
 * JSON, except when it can't be written. A failure refuses a call that may be held, and changes nothing else.
 */
export async function runHook(context: HookCommand & { io: CliIo }): Promise<number> {
  const { client, io } = context;
  setProgram(io.calledAs);
  const format = HOOK_CLIENTS[client];
  const text = await readInput(io);
  const { input, event } = understood(text, context);
  if (event === null && (await namesHeld(text, io.env))) {
    io.stderr.write(`${HOLD.failed()}\n`);
    return EXIT.usage;
  }
  const answer = event === null ? NONE : await answerTo(event, text, context);
  const isWritten = writeShort(io, `${JSON.stringify(format.write(input, bounded(answer)))}\n`);
  // Clients refuse a call at this code; without an answer they would let it through.
  return isWritten || answer.kind === 'none' ? 0 : EXIT.usage;
}

async function readInput(io: CliIo): Promise<string> {
  const { chunks, ended } = io.readNow?.() ?? { chunks: [], ended: false };
  if (!ended) for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** The event is null for a text that isn't an event of the client. */
function understood(text: string, { client, event: named }: HookCommand) {
  let input: Record<string, unknown> = {};
  try {
    input = { ...jsonMapping(text), ...(named === undefined ? {} : { hook_event_name: named }) };
    return { input, event: HOOK_CLIENTS[client].read(input) };
  } catch {
    return { input, event: null };
  }
}

function bounded(answer: HookAnswer): HookAnswer {
  if (answer.kind !== 'context') return answer;
  const bytes = Buffer.from(answer.text);
  return {
    kind: 'context',
    text: bytes
      .subarray(0, MAX_CONTEXT)
      .toString('utf8')
      .replace(/\ufffd+$/, ''),
  };
}

async function answerTo(event: HookEvent, input: string, context: HookCallContext): Promise<HookAnswer> {
  try {
    switch (event.kind) {
      case 'before':
        return await beforeCall(event, context);
      case 'start':
      case 'prompt':
        return await addContext(event, context);
      case 'after':
        return await afterCall(event, context);
      case 'stop':
        return await atStop(event, context);
      default:
        return NONE;
    }
  } catch (error) {
    context.io.stderr.write(`kairos hook: ${(error as Error).message}\n`);
    // A failure stops only a held call.
    const isHeld = event.kind === 'before' && (await namesHeld(input, context.io.env).catch(() => true));
    return isHeld ? { kind: 'deny', text: HOLD.failed() } : NONE;
  }
}

/** Refuses a held call that no run of this session lets through. */
async function beforeCall(
  event: Extract<HookEvent, { kind: 'before' }>,
  context: HookCallContext,
): Promise<HookAnswer> {
  const { io } = context;
  const folders = userFolders(io.env);
  const list = await loadHolds(folders, io.env);
  if (list.files.length === 0) return NONE;
  const call = agentCall(event.call, event.folder || io.cwd, io);
  const check = checkHolds(list, folders, call);
  if (check.kind === 'free') return NONE;
  if (check.kind === 'denied') return { kind: 'deny', text: check.text };
  try {
    return await judged(check.matches, call, event, context);
  } catch (error) {
    io.stderr.write(`kairos hook: ${(error as Error).message}\n`);
    return { kind: 'deny', text: HOLD.failed() };
  }
}

async function judged(
  matches: readonly HoldMatch[],
  call: AgentCall,
  { session }: Extract<HookEvent, { kind: 'before' }>,
  context: HookCallContext,
): Promise<HookAnswer> {
  const note = await readSession(userFolders(context.io.env), context.client, session);
  return withStore(context, async (ctx, { judgeCall }) => {
    const refusal = await judgeCall(ctx, matches, note?.runs ?? [], call);
    return refusal === null ? NONE : { kind: refusal.outcome, text: refusal.text };
  });
}

/** The call, with what it starts in each folder that it may run in. Of several that it names none is the demanded one. */
function agentCall(call: HookCall, folder: string, { env }: CliIo): AgentCall {
  if (call.kind === 'tool') return call;
  const { command, folders } = call;
  const places = new Set([...folders, ''].map((each) => realPathOf(resolve(folder, each))));
  const [first, ...others] = [...places].map((place) => commandCall(command, place, env));
  const scripts = others.flatMap((other) => other.scripts);
  const unread = others.find((other) => other.unread)?.unread;
  const written = others.find((other) => other.written)?.written;
  return {
    ...first!,
    ...(folders.length > 1 ? { folder: '' } : {}),
    scripts: [...first!.scripts, ...scripts],
    unread: first!.unread ?? unread ?? null,
    written: first!.written ?? written ?? null,
  };
}

/** Adds the protocol that clearly matches a request, and the open run. */
async function addContext(
  event: Extract<HookEvent, { kind: 'start' | 'prompt' }>,
  context: HookCallContext,
): Promise<HookAnswer> {
  const folders = userFolders(context.io.env);
  const note = await readSession(folders, context.client, event.session);
  return withStore(context, async (ctx, { openRunIn, openRunNote }) => {
    const folder = realPathOf(event.folder || context.io.cwd);
    const own = note?.runs.at(-1) ?? (event.kind === 'start' ? await openRunIn(ctx, folder) : null);
    const run = own === null ? null : await openRunNote(ctx, own, 'openRun');
    const clear = event.kind === 'prompt' && run === null ? await clearFor(ctx, event.text) : null;
    const texts = [run?.text, clear].filter((text) => text !== undefined && text !== null);
    return texts.length === 0 ? NONE : { kind: 'context', text: texts.join('\n') };
  });
}

/** Loads the search, which only a prompt needs. */
async function clearFor(ctx: OperationContext, request: string): Promise<string | null> {
  const { clearProtocol } = await import('../../../operations/search.ts');
  return clearProtocol(ctx, request);
}

/** `kairos begin` and nothing else, so that its output is the output of the call. */
const BEGINS =
  /^\s*(?:cd [^\s;&|<>()$`]+ && )?(?:npx (?:-y |--yes )?|node )?[\w./~@-]*kairos[\w./@-]* (?:[^;&|<>()$`#\n]* )?begin [^;&|<>()$`#\n]*$/;

/** Learns the runs that the session begins, and records what a step demands. */
async function afterCall(
  event: Extract<HookEvent, { kind: 'after' }>,
  context: HookCallContext,
): Promise<HookAnswer> {
  const folders = userFolders(context.io.env);
  const note: SessionNote = (await readSession(folders, context.client, event.session)) ?? {
    runs: [],
    sent: {},
  };
  const { call, result } = event;
  if (call.kind === 'tool' ? /(?:^|[-_/])kairos_begin$/.test(call.tool) : BEGINS.test(call.command)) {
    const runId = runIdIn(call.kind === 'tool' ? result.value : result.stdout);
    if (runId === null || note.runs.includes(runId)) return NONE;
    // Only an open run can have been begun or resumed: a tool of another server may name any.
    return withStore(context, async (ctx, { openRunNote }) => {
      if ((await openRunNote(ctx, runId, 'openRun')) !== null)
        await writeSession(folders, context.client, event.session, { ...note, runs: [...note.runs, runId] });
      return NONE;
    });
  }
  if (note.runs.length === 0 || (call.kind === 'tool' && call.tool.startsWith('kairos_'))) return NONE;
  if (call.kind === 'command' && (call.background || result.exitCode === null)) return NONE;
  const made = agentCall(call, event.folder || context.io.cwd, context.io);
  return withStore(context, async (ctx, { demandingRun, reportCall }) => {
    const run = await demandingRun(ctx, note.runs, made);
    if (run === null) return NONE;
    const text = await reportCall(ctx, run.runId, {
      type: call.kind === 'command' ? 'shell' : 'mcp',
      via: 'hook',
      assurance: 'client',
      source: HOOK_CLIENTS[context.client].title,
      solution: solutionOf(call, result, run),
    });
    return text === null ? NONE : { kind: 'context', text };
  });
}

function solutionOf(
  call: HookCall,
  result: Extract<HookEvent, { kind: 'after' }>['result'],
  { demand }: SessionRun,
): object {
  if (call.kind === 'command') {
    const { exitCode, stdout, stderr } = result;
    const output = {
      ...(stdout === undefined ? {} : { stdout }),
      ...(stderr === undefined ? {} : { stderr }),
    };
    return { type: 'shell', shell: { exit_code: exitCode, ...output } };
  }
  // Some clients write the server into the name of the tool.
  const { tool } = demand?.kind === 'tool' ? demand : call;
  const { arguments: args } = call;
  const { succeeded, value = null } = result;
  return { type: 'mcp', mcp: { tool_name: tool, arguments: args, result: value, success: succeeded } };
}

/** Makes the agent continue its open run, at most three times without progress. Then notes that the agent stopped. */
async function atStop(
  event: Extract<HookEvent, { kind: 'stop' }>,
  context: HookCallContext,
): Promise<HookAnswer> {
  const folders = userFolders(context.io.env);
  const note = await readSession(folders, context.client, event.session);
  // A subagent has its own task; the session's end is what counts.
  if (note === null || event.subagent) return NONE;
  return withStore(context, async (ctx, { leaveRun, openRunNote }) => {
    for (const runId of note.runs.toReversed()) {
      const open = await openRunNote(ctx, runId, 'stop');
      if (open === null) continue;
      const before = note.sent[runId];
      const times = before?.progress === open.progress ? before.times : 0;
      const sent = { ...note.sent, [runId]: { progress: open.progress, times: times + 1 } };
      if (times <= MAX_SENT) await writeSession(folders, context.client, event.session, { ...note, sent });
      if (times < MAX_SENT) return { kind: 'sendOn', text: open.text };
      if (times === MAX_SENT) await leaveRun(ctx, runId, HOOK_CLIENTS[context.client].title);
    }
    return NONE;
  });
}

type HookOperations = typeof import('../../../operations/hook.ts');
type OperationContext = import('../../../operations/context.ts').OperationContext;

/** Loads what opens a store, which most calls of a hook don't need. */
async function withStore(
  { io, options }: HookCallContext,
  work: (ctx: OperationContext, operations: HookOperations) => Promise<HookAnswer>,
): Promise<HookAnswer> {
  const operations = await import('../../../operations/hook.ts');
  const { withContext } = await import('../../context.ts');
  // Notes on the store are for people.
  const output = { json: true, note: () => undefined };
  return withContext({ options, io, output }, { dryRun: true }, (ctx) => work(ctx, operations));
}
