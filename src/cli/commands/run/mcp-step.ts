import { randomUUID } from 'node:crypto';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { callTool } from '../../../host/mcp-client/call-tool.ts';
import { type FoundServer, findServer } from '../../../host/mcp-client/find-server.ts';
import { serverDigest } from '../../../host/mcp-client/resolve-server.ts';
import type { ToolOutcome } from '../../../host/mcp-client/tool-call.ts';
import { record } from '../../../operations/next.ts';
import { permittedSeconds } from '../../../operations/propose.ts';
import type { ProofOfWork } from '../../../protocol/schema.ts';
import { askQuestion, RUN_EXIT, type RunSession, STOPS, type Stop, stop } from './session.ts';
import { afterInterrupt, type Solved, type StepContext, submit } from './work.ts';

type McpDefinition = Extract<ProofOfWork, { type: 'mcp' }>['mcp'];

/** Timeout of a tool call in seconds, unless the permit sets one. A protocol can't. */
const TOOL_TIMEOUT = 120;

/** Calls the step's tool on the server that the step names, and submits the result as observed. */
export async function solveMcp(work: StepContext, mcp: McpDefinition, serverName: string): Promise<Solved> {
  const { session, station } = work;
  const server = await findServer(serverName, { cwd: session.root, env: session.io.env }).catch((error) => {
    // An optional step fails its proof. For a required one, the error names what to set up.
    if (station.demand.required || !(error instanceof KairosError)) throw error;
    session.reporter.note(escapeForTerminal([error.message, error.hint].filter(Boolean).join('. ')));
    return null;
  });
  if (server === null) return submit(work, solutionOf(mcp, null), 'observed', []);
  const refused = await requireServerTrust(session, server);
  if (refused !== null) return refused;
  session.reporter.tool({ server: serverName, tool: mcp.tool_name, source: server.file });

  const timeoutSeconds = permittedSeconds(work.state, station, TOOL_TIMEOUT);
  const attempt = randomUUID();
  const named = `${serverName}: ${mcp.tool_name}`;
  await record(session.ctx, session.runId, 'command.started', {
    step: station.step,
    attempt,
    cmd: named,
    cwd: server.folder,
    env: Object.keys(server.definition.env),
    // Ledger entries contain only whole numbers. The call itself uses the exact value.
    timeout_seconds: Math.ceil(timeoutSeconds),
  });
  const { value: outcome, interrupted } = await session.interrupts.during(({ stop: signal, kill }) =>
    callTool(server, {
      tool: mcp.tool_name,
      arguments: mcp.arguments ?? {},
      timeoutSeconds,
      env: session.io.env,
      signal,
      kill,
    }),
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
  return submit(work, solutionOf(mcp, outcome), 'observed', [{ kind: 'command.finished', data: finished }]);
}

/** Asks for trust in a server from a project's file, because another person chose that program. Null: trusted. Throws USAGE. */
async function requireServerTrust(session: RunSession, server: FoundServer): Promise<Stop | null> {
  if (server.scope === 'user') return null;
  const { trust, clock, caller } = session.ctx;
  const digest = serverDigest(server.definition);
  if ((await trust.get(digest)) !== null || session.trusted.includes(digest)) return null;
  const { name, command, args, env } = server.definition;
  const answer = await askQuestion(session, {
    kind: 'confirm',
    name: `trust-server-${name}`,
    message: [
      `This step calls the MCP server ${name}, which ${server.file} names:`,
      `  ${[command, ...args].join(' ')}`,
      ...(Object.keys(env).length > 0 ? [`  environment: ${Object.keys(env).join(', ')}`] : []),
      `  digest: ${digest}`,
      'Let it run on this machine, as you?',
    ].join('\n'),
    default: false,
    byHand: true,
  });
  if (answer.kind === 'interrupted') return STOPS.aborted();
  if (answer.kind === 'stop') {
    return answer.code === RUN_EXIT.inputNeeded
      ? stop(
          answer.code,
          `The MCP server ${name} is not trusted here. After reading ${server.file}: --trust ${digest}`,
        )
      : answer;
  }
  if (answer.value !== true) return STOPS.aborted();
  if (answer.assurance !== 'client') {
    throw new KairosError('USAGE', `trust in the MCP server ${name} is given by hand, or by its digest`, {
      hint: `--trust ${digest}`,
    });
  }
  await trust.grant({
    digest,
    chainId: '',
    slug: `mcp-server-${name}`,
    title: [command, ...args].join(' '),
    trustedAt: new Date(clock()).toISOString(),
    by: caller.actor,
  });
  return null;
}

/** Returns the solution for a server's response. Without a response, it is a failed call. */
function solutionOf(mcp: McpDefinition, outcome: ToolOutcome | null): object {
  return {
    type: 'mcp',
    mcp: {
      tool_name: mcp.tool_name,
      arguments: mcp.arguments ?? {},
      result: outcome?.ok ? outcome.raw : null,
      success: outcome?.ok === true && outcome.success,
    },
  };
}
