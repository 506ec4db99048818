import { randomUUID } from 'node:crypto';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { callTool, type ToolOutcome } from '../../../host/mcp-client/call-tool.ts';
import { type FoundServer, findServer } from '../../../host/mcp-client/find-server.ts';
import { serverDigest } from '../../../host/mcp-client/resolve-server.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { claimStart, record } from '../../../operations/next.ts';
import { permittedSeconds, requirePermittedServer } from '../../../operations/propose.ts';
import { grantServer } from '../../../operations/trust.ts';
import type { ProofOfWork } from '../../../protocol/schema.ts';
import { stationsOf } from '../../../run/state.ts';
import type { ConfirmQuestion } from '../../terminal/question.ts';
import { usePermit } from './guard.ts';
import { askQuestion, RUN_EXIT, type RunSession, STOPS, type Stop, stop } from './session.ts';
import type { RunCall, RunTarget } from './subject.ts';
import { afterInterrupt, commandStartOf, type Solved, type StepContext, submit } from './work.ts';

type McpDefinition = Extract<ProofOfWork, { type: 'mcp' }>['mcp'];

/** Timeout of a tool call in seconds, unless the permit sets one. A protocol can't. */
const TOOL_TIMEOUT = 120;

/** Calls the step's tool on the server that the step names, and submits the result as observed. */
export async function solveMcp(
  allowed: StepContext,
  mcp: McpDefinition,
  serverName: string,
): Promise<Solved> {
  const { session, station } = allowed;
  const server = await findServer(serverName, { cwd: session.root, env: session.io.env }).catch((error) => {
    // An optional step fails its proof. For a required one, the error names what to set up.
    if (station.demand.required || !(error instanceof KairosError)) throw error;
    session.reporter.note(escapeForTerminal([error.message, error.hint].filter(Boolean).join('. ')));
    return null;
  });
  const refused = server === null ? null : await requireServerTrust(session, server);
  if (refused !== null) return refused;
  const work = await usePermit(allowed);
  if ('kind' in work) return work;
  if (server === null) return submit(work, solutionOf(mcp, null), 'observed', []);
  const digest = serverDigest(server.definition);
  requirePermittedServer(work.state, { name: serverName, digest, file: server.file });
  session.reporter.tool({ server: serverName, tool: mcp.tool_name, source: server.file });

  const timeoutSeconds = permittedSeconds(work.state, station, TOOL_TIMEOUT);
  const attempt = randomUUID();
  const named = `${serverName}: ${mcp.tool_name}`;
  const isFree = await claimStart(session.ctx, commandStartOf(work.state), () => ({
    step: station.step,
    attempt,
    cmd: named,
    cwd: server.folder,
    env: Object.keys(server.definition.env),
    // Ledger entries contain only whole numbers. The call itself uses the exact value.
    timeout_seconds: Math.ceil(timeoutSeconds),
  }));
  if (!isFree) return { kind: 'again' };
  const { value: outcome, interrupted } = await session.interrupts.during(({ stop: signal, kill }) =>
    callTool(server, {
      tool: mcp.tool_name,
      arguments: mcp.arguments ?? {},
      timeoutSeconds,
      env: session.io.env,
      signal,
      kill,
    }).finally(session.reporter.running(timeoutSeconds)),
  );
  const finished = {
    step: station.step,
    attempt,
    failure: outcome.ok ? null : outcome.failure,
    duration_ms: Math.round(outcome.duration_seconds * 1000),
  };
  if (interrupted && !outcome.ok) {
    await record(session.ctx, session.runId, 'command.finished', finished);
    if (session.interrupts.exitCode !== null) return STOPS.signal(session.interrupts.exitCode);
    return afterInterrupt(work);
  }
  if (!outcome.ok) session.reporter.note(outcome.message);
  const prelude = [{ kind: 'command.finished' as const, data: finished }];
  return submit(work, solutionOf(mcp, outcome), 'observed', prelude, solutionOf(mcp, outcome, 'given'));
}

/** Asks for trust in a server from a project's file, because another person chose that program. Null: trusted. Throws USAGE. */
async function requireServerTrust(session: RunSession, server: FoundServer): Promise<Stop | null> {
  if (server.scope === 'user') return null;
  const digest = serverDigest(server.definition);
  if ((await session.ctx.trust.get(digest)) !== null || session.trusted.includes(digest)) return null;
  const answer = await askQuestion(session, { kind: 'confirm', ...trustQuestion(server, 'This step') });
  if (answer.kind === 'interrupted') return STOPS.aborted();
  if (answer.kind === 'stop') {
    return answer.code === RUN_EXIT.inputNeeded ? stop(answer.code, notTrusted(server, digest)) : answer;
  }
  if (answer.value !== true) return STOPS.aborted();
  if (answer.assurance !== 'client') {
    throw new KairosError(
      'USAGE',
      `trust in the MCP server ${server.definition.name} is given by hand, or by its digest`,
      { hint: `--trust ${digest}` },
    );
  }
  await grantServer(session.ctx, server);
  return null;
}

function trustQuestion(server: FoundServer, who: string): ConfirmQuestion {
  const { name, command, args, env } = server.definition;
  return {
    name: `trust-server-${name}`,
    message: [
      `${who} calls the MCP server ${name}, which ${server.file} names:`,
      `  ${[command, ...args].join(' ')}`,
      ...(Object.keys(env).length > 0 ? [`  environment: ${Object.keys(env).join(', ')}`] : []),
      `  digest: ${serverDigest(server.definition)}`,
      'Let it run on this machine, as you?',
    ].join('\n'),
    default: false,
    byHand: true,
  };
}

/** The project's servers that the steps of a run still call and that are not trusted, each as its question and the flag that answers it. */
export async function untrustedServers(
  { trust }: OperationContext,
  { io, options }: RunCall,
  { revision, from, settled }: RunTarget,
): Promise<{ question: ConfirmQuestion; reason: string }[]> {
  const { content } = revision;
  const first = stationsOf(content)[from]?.step ?? Number.POSITIVE_INFINITY;
  const proofs = content.steps.slice(first - 1).flatMap(({ block }) => block?.proof_of_work ?? []);
  const names = new Set(proofs.flatMap((proof) => (proof.type === 'mcp' ? (proof.mcp.server ?? []) : [])));
  const missing: { question: ConfirmQuestion; reason: string }[] = [];
  for (const name of names) {
    // A server that is missing is reported by its step.
    const server = await findServer(name, { cwd: settled.place.workdir, env: io.env }).catch(() => null);
    if (server === null || server.scope === 'user') continue;
    const digest = serverDigest(server.definition);
    if (options.trust?.includes(digest) === true || (await trust.get(digest)) !== null) continue;
    missing.push({ question: trustQuestion(server, 'A step'), reason: notTrusted(server, digest) });
  }
  return missing;
}

function notTrusted({ definition, file }: FoundServer, digest: string): string {
  return `The MCP server ${definition.name} is not trusted here. After reading ${file}: --trust ${digest}`;
}

/** Returns the solution for a server's response, redacted or as given. Without a response, it is a failed call. */
function solutionOf(mcp: McpDefinition, outcome: ToolOutcome | null, form: 'raw' | 'given' = 'raw'): object {
  return {
    type: 'mcp',
    mcp: {
      tool_name: mcp.tool_name,
      arguments: mcp.arguments ?? {},
      result: outcome?.ok ? outcome[form] : null,
      success: outcome?.ok === true && outcome.success,
    },
  };
}
