import { plainCommand } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import type { AgentCall, HoldMatch, ListedHold, StepDemand } from '../../../gate/holds.ts';
import { userFolders } from '../../../host/files/paths.ts';
import { holdLoader } from '../../../host/hold-files.ts';
import type { BehindGateway } from '../../../host/mcp-client/server-process.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { type DemandedCall, finishCall, passCall } from '../../../operations/gateway.ts';
import { checkHolds, commandCall, holdsOf, startsServer, usableHolds } from '../../../operations/hold.ts';
import { demandedSteps } from '../../../operations/hook.ts';
import { HOLD } from '../../../run/wording.ts';
import type { Call, Handler } from '../../command.ts';
import { withContext } from '../../context.ts';
import { type CliIo, EXIT, inFolders, type NamedFolders } from '../../io.ts';
import { endingSignals } from '../../terminal/interrupt.ts';
import { table } from '../../terminal/layout.ts';
import { heldText, WHEN } from '../../views/trust.ts';
import type { HookClientName } from './clients.ts';
import { runHook } from './hook.ts';

export interface HookOptions extends NamedFolders {
  event?: string;
}

export interface HoldTestOptions {
  tool?: string;
  arguments?: string;
}

/** `kairos hook`, when the whole command line was loaded for it. */
export const hookCommand: Handler<[HookClientName], HookOptions> = ({ args: [client], options, io }) =>
  runHook({
    client,
    io: inFolders(io, options),
    options,
    ...(options.event === undefined ? {} : { event: options.event }),
  });

/** `kairos hold list`. With `--json`: `{holds[] {match, protocol, step?, allow_when, else, origin, source}}`. */
export const holdListCommand: Handler<[], unknown> = async (call) => {
  const { output, io } = call;
  const { holds } = await usableHolds(io.env);
  if (output.json) {
    output.object({ holds: holds.map(holdObject) });
    return EXIT.ok;
  }
  if (holds.length === 0) {
    output.print(
      `Nothing is held. The list would be ${escapeForTerminal(userFolders(io.env).config)}/hold.yaml`,
    );
    return EXIT.ok;
  }
  const heads = ['HELD', 'PROTOCOL', 'STEP', 'ALLOWED WHEN', 'ELSE', 'FROM'].map((head) => ({ head }));
  const rows = holds.map(({ hold, source }) => [
    heldText(hold.match),
    hold.protocol,
    String(hold.step ?? 'any'),
    hold.allow_when,
    hold.else,
    source,
  ]);
  output.print(await table(heads, rows, { color: output.color }));
  return EXIT.ok;
};

function holdObject({ hold, origin, source }: ListedHold) {
  return { ...hold, origin, source };
}

/** The call that the arguments describe. */
async function describedCall({
  args: [command],
  options,
  io,
}: Call<[string | undefined], HoldTestOptions>): Promise<AgentCall> {
  if ((command === undefined) === (options.tool === undefined))
    throw new KairosError('USAGE', 'exactly one of a command and --tool is needed', {
      hint: `For example: ${plainCommand(['hold', 'test', 'git push'])}, or ${plainCommand(['hold', 'test', '--tool', 'github/merge_pull_request'])}`,
    });
  if (command !== undefined) return commandCall(command, io.cwd, io.env);
  const [, server = null, tool = ''] = /^(?:([^/]+)\/)?(.+)$/.exec(options.tool!) ?? [];
  return { kind: 'tool', tool, server, arguments: argumentsOf(options.arguments) };
}

function argumentsOf(text = '{}'): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KairosError('USAGE', `--arguments is not JSON: ${(cause as Error).message}`, {
      hint: `Write an object, for example --arguments '{"branch": "main"}'`,
      cause,
    });
  }
}

/** `kairos hold test`. With `--json`: `{held, holds[]}`. */
export const holdTestCommand: Handler<[string | undefined], HoldTestOptions> = async (call) => {
  const { output } = call;
  const matches = await holdsOf(await describedCall(call), call.io.env);
  if (output.json) output.object({ held: matches.length > 0, holds: matches.map(matchObject) });
  else if (matches.length === 0) output.print('Not held.');
  else for (const match of matches) output.print(matchLine(match));
  return matches.length > 0 ? EXIT.failed : EXIT.ok;
};

function matchObject({ listed, certainty, text }: HoldMatch) {
  return { ...holdObject(listed), certainty, text };
}

function matchLine({ listed: { hold, source }, certainty, text }: HoldMatch): string {
  const what = certainty === 'same' ? 'is' : 'may be';
  return escapeForTerminal(
    `Held call: ${text} ${what} ${heldText(hold.match)}. Protocol ${hold.protocol} lets it through (${source}).`,
  );
}

/** `kairos hold explain`. With `--json`: `{held, holds[] {…, demanded_by[]}}`. Ends with 0 either way. */
export const holdExplainCommand: Handler<[string | undefined], HoldTestOptions> = async (call) => {
  const { output } = call;
  const described = await describedCall(call);
  const matches = await holdsOf(described, call.io.env);
  if (matches.length === 0) {
    if (output.json) output.object({ held: false, holds: [] });
    else output.print('Not held: the hold list does not cover this call.');
    return EXIT.ok;
  }
  return withContext(call, { dryRun: true }, async (ctx) => {
    const explained = [];
    for (const match of matches) {
      const steps = await demandedSteps(ctx, match.listed.hold.protocol, described);
      explained.push({ match, steps });
    }
    if (output.json) {
      const holds = explained.map(({ match, steps }) => ({ ...matchObject(match), demanded_by: steps }));
      output.object({ held: true, holds });
      return EXIT.ok;
    }
    for (const { match, steps } of explained) {
      const { hold } = match.listed;
      output.print(matchLine(match));
      const at = hold.step === undefined ? '' : ` at step ${hold.step}`;
      output.print(
        `  An agent may do it${at} ${WHEN[hold.allow_when]} of ${hold.protocol}; otherwise: ${hold.else}.`,
      );
      if (steps === null) output.print(`  No protocol ${hold.protocol} is stored, so it is always held.`);
      else if (hold.allow_when === 'demanded')
        output.print(
          steps.length === 0
            ? '  No step of the protocol demands exactly this call.'
            : `  Steps that demand it: ${steps.join(', ')}.`,
        );
    }
    return EXIT.ok;
  });
};

export interface GatewayOptions extends NamedFolders {
  name?: string;
  url?: string;
}

/** A session has few calls, each with the same code: V8 optimises it after some of them. */
const GATEWAY_FLAGS = ['--interrupt-budget=2000'];

type GatewayCall = Call<[string[]], GatewayOptions>;

/** `kairos gateway`. Standard output has the messages of the server alone. */
export const gatewayCommand: Handler<[string[]], GatewayOptions> = async (given) => {
  const call = { ...given, io: inFolders(given.io, given.options) };
  const { io, options } = call;
  const { runGateway } = await import('../../../mcp/gateway/gateway.ts');
  const server = await behind(call);
  const {
    args: [command],
  } = call;
  const { name = null, url } = options;
  const started = url === undefined ? ['--', ...command] : ['--url', url];
  const folders = userFolders(io.env);
  const since = new Date(io.now()).toISOString();
  const holds = holdLoader(folders, io.env);
  return withContext(call, {}, async (ctx) => {
    io.setEngineFlags?.(GATEWAY_FLAGS);
    const gateway = { since, otherServer: (demand: StepDemand | null) => otherServer(ctx, demand, started) };
    const { stop, dispose } = endingSignals(io.signals);
    await runGateway<DemandedCall>({ stdin: io.stdin, stdout: io.stdout, stop }, server, {
      async before({ tool, arguments: args }) {
        const made = { kind: 'tool' as const, tool, server: name, arguments: args };
        try {
          const check = checkHolds(await holds(), folders, made);
          if (check.kind === 'denied') return { refusal: check.text, demanded: null };
          try {
            return await passCall(ctx, check.kind === 'held' ? check.matches : [], made, gateway);
          } catch (error) {
            // A failure stops only a held call.
            if (check.kind === 'held') throw error;
            io.stderr.write(`kairos gateway: ${(error as Error).message}\n`);
            return { refusal: null, demanded: null };
          }
        } catch (error) {
          io.stderr.write(`kairos gateway: ${(error as Error).message}\n`);
          return { refusal: HOLD.failed(), demanded: null };
        }
      },
      async finish(demanded, end, isLate) {
        const call = isLate ? { ...demanded, attempt: null } : demanded;
        await finishCall(ctx, call, end, name ?? 'MCP server').catch((error: Error) => {
          io.stderr.write(`kairos gateway: ${error.message}\n`);
        });
      },
    }).finally(dispose);
    return EXIT.ok;
  });
};

/** The file that has another server under the name that a step demands than the one that this gateway started; null without one. */
async function otherServer(
  { names }: OperationContext,
  demand: StepDemand | null,
  started: readonly string[],
): Promise<string | null> {
  if (demand?.kind !== 'tool' || demand.server === null) return null;
  const known = (await names?.server(demand.server, demand.folder ?? '/')) ?? null;
  if (known === null) return null;
  return startsServer([known.command, ...known.arguments], started) ? null : known.file;
}

/** The server: a command after `--`, or a URL. Headers of a URL come from KAIROS_GATEWAY_HEADERS, which no process list shows. */
async function behind({ args: [command], options: { url }, io }: GatewayCall): Promise<BehindGateway> {
  const [{ urlBehind }, { programBehind }] = await Promise.all([
    import('../../../host/mcp-client/behind-gateway.ts'),
    import('../../../host/mcp-client/server-process.ts'),
  ]);
  if ((url === undefined) === (command.length === 0)) {
    throw new KairosError('USAGE', 'exactly one of --url and a command after -- is needed', {
      hint: `For example: ${plainCommand(['gateway', '--name', 'github'])} -- npx -y @modelcontextprotocol/server-github`,
    });
  }
  if (url === undefined) return programBehind(command, { env: io.env, cwd: io.cwd });
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new KairosError('USAGE', `${JSON.stringify(url)} is not an http or https URL`, {
      hint: 'Write it in full, for example https://example.com/mcp.',
    });
  }
  return urlBehind(url, headersOf(io.env));
}

/** `${NAME}` in a value is a variable, for clients that don't replace it themselves. */
function headersOf(env: CliIo['env']): Record<string, string> {
  try {
    const headers = Object.entries(JSON.parse(env.KAIROS_GATEWAY_HEADERS || '{}'));
    return Object.fromEntries(
      headers.map(([key, value]) => [
        key,
        String(value).replace(/\$\{(\w+)\}/g, (written, name: string) => env[name] ?? written),
      ]),
    );
  } catch (cause) {
    throw new KairosError(
      'INVALID_INPUT',
      `KAIROS_GATEWAY_HEADERS is not JSON: ${(cause as Error).message}`,
      { hint: 'Write an object, for example {"Authorization": "Bearer …"}.' },
    );
  }
}
