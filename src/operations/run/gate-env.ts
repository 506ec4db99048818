import { canonical, sha256Hex } from '../../base/canonical.ts';
import { KairosError } from '../../base/errors.ts';
import { type Approval, isSignedAsRecorded, verifyStatement } from '../../gate/approval/statement.ts';
import type { NamedChain, NamedServer } from '../../gate/input.ts';
import type { LoadedPolicy } from '../../gate/policy/schema.ts';
import { type Violation, violations } from '../../gate/violation.ts';
import type { LedgerEntry } from '../../ledger/entry.ts';
import { loadTools } from '../../proof/tools.ts';
import { parseMemUri } from '../../protocol/identity.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type { Decision, DecisionBuilder, GateEnv, Surroundings } from '../../run/decide/draft.ts';
import { type GatedStation, templateOf } from '../../run/decide/guard.ts';
import { dataOf, type PermitConsumedData } from '../../run/entry-data.ts';
import type { RecordedApproval } from '../../run/gate-state.ts';
import { compareDigests } from '../../run/ports.ts';
import type { RunState } from '../../run/state.ts';
import { MESSAGES } from '../../run/wording.ts';
import { orDamaged, requireIntactContent } from '../../store/intact.ts';
import type { Revision } from '../../store/port.ts';
import { callerIdentity, type OperationContext } from '../context.ts';
import { recordedDigests } from './inputs.ts';

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
      ...(await secretObstacles(ctx, state)),
    ],
    notBefore: isBehind ? now : Math.max(now, seen),
    approvals: verified(state.gate.approvals, policy),
    tools: await loadTools({ patterns: true, schemas: true }),
    holdsSecret: (text) => ctx.redact(text) !== text,
    redact: ctx.redact,
    surroundings: await surroundingsOf(ctx, state),
  };
}

/** What the names in the gated steps that can be done or rolled back now stand for. */
async function surroundingsOf(ctx: OperationContext, state: RunState): Promise<Surroundings> {
  const [servers, chains] = [new Map<string, NamedServer | null>(), new Map<string, NamedChain>()];
  const folder = state.place === null ? null : state.place.workdir;
  const stations = gatedNow(state);
  for (const { demand, block } of stations) {
    const server = demand.type === 'mcp' ? demand.mcp.server : undefined;
    if (server !== undefined)
      servers.set(server, folder === null ? null : await serverOf(ctx, server, folder));
    const { chain_uri: uri } = block.proposal?.rollback_semantics ?? {};
    const revision = uri === undefined ? null : await orDamaged(namedRevision(ctx, uri));
    if (uri !== undefined && revision !== null && revision !== 'damaged')
      chains.set(uri, namedChain(revision));
  }
  const linkedFolder = ctx.names?.linkedFolder ?? (() => undefined);
  return { servers, chains, linkedFolder, ofCommand: await commandsOf(ctx, state, stations) };
}

/** The pending step, and those whose permit was used without a proof, if a proposal guards them. */
function gatedNow(state: RunState): GatedStation[] {
  const { open, failed, openRollback } = state.gate;
  const done = new Set([...failed.keys(), open?.step, openRollback?.step]);
  return state.stations.filter(
    (station, at): station is GatedStation =>
      templateOf(station) !== undefined && (at === state.at || done.has(station.step)),
  );
}

/** How the surroundings of commands are found: with the key of this data folder, which is loaded where a command names environment. */
async function commandsOf(
  { names, valueDigest }: OperationContext,
  { runId }: RunState,
  stations: readonly GatedStation[],
): Promise<Surroundings['ofCommand']> {
  const shells = stations.flatMap(({ demand }) => (demand.type === 'shell' ? [demand.shell] : []));
  const inspect = shells.length === 0 ? undefined : await names?.commands();
  if (inspect === undefined) return () => undefined;
  const digest = shells.some(({ env = [] }) => env.length > 0) ? await valueDigest?.() : undefined;
  return (shell, folder) => {
    const { values, files } = inspect(shell, folder);
    const environment = Object.fromEntries(
      Object.entries(digest === undefined ? {} : values).map(([name, value]) => [
        name,
        value === undefined ? null : digest!(runId, `env ${name}`, value),
      ]),
    );
    const isPlain = Object.keys({ ...environment, ...files }).length === 0;
    return isPlain ? undefined : { environment, files };
  };
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
const secretObstacle = violations('K-PROP-144');
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

/** The secrets that this program has must be those of the run. */
async function secretObstacles(ctx: OperationContext, { runId, secrets }: RunState): Promise<Violation[]> {
  const { secret_digests: digests = {} } = await recordedDigests(ctx, runId, ctx.runSecrets?.of(runId) ?? {});
  return Object.entries(digests).flatMap(([name, digest]) => {
    const recorded = secrets.get(name) ?? null;
    const isSame = recorded === null || compareDigests(recorded, digest) === 'same';
    return isSame ? [] : [secretObstacle('', MESSAGES.otherSecret(name))];
  });
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

export const isPermitUse = ({ kind }: LedgerEntry): boolean => kind === 'permit.consumed';

/** Applies the policy that the caller has chosen for this run from now on. Returns the number of entries for it. */
export function adoptPolicy(draft: DecisionBuilder, { policy, actor }: GateEnv): 0 | 1 {
  const recorded = draft.state.policy;
  const digest = policy?.digest ?? null;
  if (recorded === null || recorded.digest === digest) return 0;
  draft.write('policy.adopted', {
    from: { policy_digest: recorded.digest, policy_origin: recorded.origin },
    policy_digest: digest,
    policy_origin: policy?.origin ?? null,
    by: actor,
  });
  return 1;
}

/**
 * Each permit is used once on this machine, also where the store was copied or restored from a backup. Throws INVALID_INPUT
 * for a second use: nothing is shown or run, and this copy's record has the permit as used with an unknown outcome.
 */
export async function usePermits(
  { permitMarks }: OperationContext,
  { state, entries }: Decision,
): Promise<void> {
  for (const entry of permitMarks === undefined ? [] : entries.filter(isPermitUse)) {
    const { step, proposal_hash, rollback } = dataOf<PermitConsumedData>(entry);
    const key = sha256Hex(canonical({ run_id: state.runId, step, proposal_hash, rollback }));
    if (await permitMarks!.use(key)) continue;
    throw new KairosError(
      'INVALID_INPUT',
      `proposal ${proposal_hash.slice(0, 12)} was used before: another copy of this store has used its permit`,
      { hint: 'The store was copied or restored. See what was done, then submit a new proposal.' },
    );
  }
}
