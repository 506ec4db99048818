import { type Approval, isSignedAsRecorded, verifyStatement } from '../../gate/approval/statement.ts';
import type { NamedChain, NamedServer } from '../../gate/input.ts';
import type { LoadedPolicy } from '../../gate/policy/schema.ts';
import { type Violation, violations } from '../../gate/violation.ts';
import { loadTools } from '../../proof/tools.ts';
import { parseMemUri } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { GateEnv, Surroundings } from '../../run/decide/draft.ts';
import { templateOf } from '../../run/decide/guard.ts';
import type { RecordedApproval } from '../../run/gate-state.ts';
import type { RunState } from '../../run/state.ts';
import { MESSAGES } from '../../run/wording.ts';
import { orDamaged, requireIntactContent } from '../../store/intact.ts';
import type { Revision } from '../../store/port.ts';
import { callerIdentity, type OperationContext } from '../context.ts';

/** What judging needs for this run: the current policy, and the approvals whose signatures are valid under it. */
export async function gateEnvOf(ctx: OperationContext, state: RunState): Promise<GateEnv> {
  const policy = (await ctx.policy?.(state)) ?? null;
  const now = ctx.clock();
  const seen = (await ctx.permitMarks?.seen(now)) ?? 0;
  const isBehind = now + CLOCK_STEP_MS < seen;
  return {
    actor: callerIdentity(ctx.caller),
    policy,
    obstacles: [
      ...(isBehind ? [clockObstacle('', MESSAGES.clockBehindSeen(new Date(seen).toISOString()))] : []),
      ...obstaclesOf(ctx, state, policy),
    ],
    notBefore: isBehind ? now : Math.max(now, seen),
    approvals: verified(state.gate.approvals, policy),
    tools: await loadTools({ patterns: true, schemas: true }),
    holdsSecret: (text) => ctx.redact(text) !== text,
    redact: ctx.redact,
    surroundings: await surroundingsOf(ctx, state),
  };
}

/** What the names in the gated steps of a run stand for now. */
async function surroundingsOf(ctx: OperationContext, state: RunState): Promise<Surroundings> {
  const [servers, chains] = [new Map<string, NamedServer | null>(), new Map<string, NamedChain>()];
  const folder = state.place === null ? null : state.place.workdir;
  for (const station of state.stations) {
    const template = templateOf(station);
    if (station.kind !== 'proof' || template === undefined) continue;
    const server = station.demand.type === 'mcp' ? station.demand.mcp.server : undefined;
    if (server !== undefined)
      servers.set(server, folder === null ? null : await serverOf(ctx, server, folder));
    const { chain_uri: uri } = template.rollback_semantics ?? {};
    const revision = uri === undefined ? null : await orDamaged(namedRevision(ctx, uri));
    if (uri !== undefined && revision !== null && revision !== 'damaged')
      chains.set(uri, namedChain(revision));
  }
  return { servers, chains, linkedFolder: ctx.names?.linkedFolder ?? (() => undefined) };
}

async function serverOf({ names, redact }: OperationContext, name: string, folder: string) {
  const found = (await names?.server(name, folder)) ?? null;
  return found && { ...found, command: redact(found.command), arguments: found.arguments.map(redact) };
}

/** The revision that a URI of a protocol's first step stands for now; null if the store has none. */
export async function namedRevision({ store }: OperationContext, uri: string): Promise<Revision | null> {
  const uuid = parseMemUri(uri);
  const step = uuid === null ? null : await store.resolveStep(uuid);
  return step?.index === 1 ? store.head(step.chainId) : null;
}

function namedChain(revision: Revision): NamedChain {
  const { title, slug, steps } = requireIntactContent(revision).content;
  return { title, slug, digest: revision.digest, steps: steps.map(stepWords) };
}

/** What a step does, in one line. */
function stepWords({ label, block }: ChainContent['steps'][number]): string {
  const proof = block?.proof_of_work;
  switch (proof?.type) {
    case 'shell':
      return proof.shell.cmd;
    case 'mcp':
      return [proof.mcp.tool_name, proof.mcp.server].filter((part) => part !== undefined).join(' of ');
    default:
      return `by hand: ${label}`;
  }
}

const policyObstacle = violations('K-PROP-141');
const placeObstacle = violations('K-PROP-142');
const clockObstacle = violations('K-PROP-143');
/** How far the clock may be behind the newest entry, in milliseconds: clocks are set right in small steps. */
const CLOCK_STEP_MS = 60_000;

/** The policy and the machine must be the recorded ones unless others were chosen for this run, and the clock not behind its record. */
function obstaclesOf(
  { place, adoptsPolicy, commandLine, clock }: OperationContext,
  state: RunState,
  found: LoadedPolicy | null,
): Violation[] {
  const resume = commandLine(['resume', state.runId]);
  const recorded = state.policy;
  const isOther = recorded !== null && recorded.digest !== (found?.digest ?? null) && adoptsPolicy !== true;
  const isElsewhere = place !== undefined && state.place !== null && state.place.host !== place.host;
  const newest = state.tip?.at ?? '';
  return [
    ...(clock() + CLOCK_STEP_MS < Date.parse(newest)
      ? [clockObstacle('', MESSAGES.clockBehind(newest))]
      : []),
    ...(isOther
      ? [policyObstacle('', found === null ? MESSAGES.policyGone(resume) : MESSAGES.policyChanged(resume))]
      : []),
    ...(isElsewhere ? [placeObstacle('', MESSAGES.otherHost(resume))] : []),
  ];
}

/**
 * A record of a signature is not proof: each signature is verified again whenever it must count. A denial was accepted when it was
 * given and stays: it is verified with the recorded key, even if the policy no longer has that key.
 */
function verified(recorded: readonly RecordedApproval[], loaded: LoadedPolicy | null): Approval[] {
  return recorded.flatMap(({ text, signature, ...approval }): Approval[] => {
    const taken = { ...approval, taken: true };
    if (approval.source === 'terminal') return [taken];
    if (signature === null || approval.key === null) return [];
    if (approval.statement.decision === 'deny')
      return isSignedAsRecorded(text, signature, approval.key) ? [taken] : [];
    const result = loaded === null ? null : verifyStatement(text, signature, loaded.policy);
    return result?.ok === true ? [{ ...taken, statement: result.statement, key: result.key }] : [];
  });
}
