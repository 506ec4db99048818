import { canonical } from '../../base/canonical.ts';
import { decideProposal, type GateAnswer } from '../../gate/decide.ts';
import type { EvidenceProof, GatedStep, GateInput } from '../../gate/input.ts';
import { parameterEnvironment, resolveDemand } from '../../gate/permit/permit.ts';
import type { Proposal } from '../../gate/proposal.ts';
import { readProposal } from '../../gate/reading.ts';
import { packetOf } from '../../gate/receipt.ts';
import { type EntryData, foreignJson } from '../../ledger/entry.ts';
import type { Demand } from '../../proof/demand.ts';
import { stepUri } from '../../protocol/identity.ts';
import type { ProposalTemplate } from '../../protocol/schema.ts';
import type { ProposalDecidedData } from '../entry-data.ts';
import { type DecidedProposal, proposalKey } from '../gate-state.ts';
import type { ShownNonce } from '../nonces.ts';
import type { RunPlace } from '../ports.ts';
import type { RunState, Station } from '../state.ts';
import type { DecideEnv, Decision, DecisionBuilder, GateEnv, RunProblem } from './draft.ts';

/** A station that a proposal guards. */
export type GatedStation = Extract<Station, { kind: 'proof' }>;

/** The template of a gated station; undefined for others. */
export function templateOf(station: Station | null): ProposalTemplate | undefined {
  return station?.kind === 'proof' ? station.block.proposal : undefined;
}

/** Whether a nonce was shown together with the command, under the permit that is open. */
export function isUnderPermit({ gate }: RunState, nonce: ShownNonce | null): boolean {
  return gate.open !== null && nonce !== null && nonce.permit === gate.open.permitId;
}

/** The newest nonce went out together with what a permit lets be done. */
export function isShownUnderPermit(state: RunState): boolean {
  return isUnderPermit(state, state.nonces.newest());
}

/** The demand of the pending station; for a gated one, as its open permit has changed it. */
export function demandOf(state: RunState, station: Exclude<Station, { kind: 'none' }>): Demand {
  const proposal = openProposal(state);
  return proposal === null || templateOf(station) === undefined
    ? station.demand
    : resolveDemand(station.demand, proposal);
}

/** The variables that a permitted command is given; empty for everything else. */
export function permittedEnvironment(state: RunState, station: Station | null): Record<string, string> {
  const proposal = openProposal(state);
  if (proposal === null || station?.kind !== 'proof' || station.demand.type !== 'shell') return {};
  return parameterEnvironment(proposal.parameters);
}

/** Milliseconds that the open permit allows for the step; null without a limit or an open permit. */
export function permittedDuration(state: RunState, station: Station | null): number | null {
  const proposal = openProposal(state);
  if (proposal === null) return null;
  // A KernelRequest has no window; the template's is then the proposal's.
  return (proposal.time_window ?? templateOf(station)?.time_window)?.max_duration_ms ?? null;
}

/** The proposal whose permit is open. It was allowed, so that every required field is there. */
export function openProposal({ gate }: RunState): Proposal | null {
  const decided =
    gate.open === null
      ? undefined
      : gate.proposals.get(
          proposalKey({ hash: gate.open.proposalHash, step: gate.open.step, rollback: false }),
        );
  return decided === undefined ? null : fieldsOf(decided);
}

/** The newest proposal for the pending station, with what was decided on it. */
export function currentProposal({ gate }: RunState): DecidedProposal | null {
  return gate.current === null ? null : (gate.proposals.get(gate.current) ?? null);
}

/** Asks the gate about a proposal for this station. */
export function judgeProposal(
  { state, env }: { state: RunState; env: Pick<DecideEnv, 'now'> },
  station: GatedStation,
  submitted: unknown,
  gate: GateEnv,
): GateAnswer {
  return askGate(gateInput(state, env, station, submitted, gate), gate);
}

/** What the gate is asked about a proposal for this station. */
export function gateInput(
  state: RunState,
  env: Pick<DecideEnv, 'now'>,
  station: GatedStation,
  submitted: unknown,
  gate: GateEnv,
): GateInput {
  return {
    ...commonInput(state, env, gate),
    submitted,
    gated: inSurroundings(gatedStep(state, station, gate), gate),
    evidence: evidenceOf(state),
  };
}

/** The gate's decision, ignoring what prevents it from permitting anything here. */
export function askGate(
  input: GateInput,
  { obstacles, redact }: Pick<GateEnv, 'obstacles' | 'redact'>,
): GateAnswer {
  const answer = decideProposal(input);
  // Field names and values are the caller's words: a secret in them is never shown, not even to explain a rejection.
  const reasons = answer.reasons.map((reason) => ({
    ...reason,
    pointer: redactPointer(reason.pointer, redact),
    message: redact(reason.message),
  }));
  if (obstacles.length === 0) return { ...answer, reasons };
  return { ...answer, decision: 'DENY', reasons: [...obstacles, ...reasons], permit: null };
}

/** Redacts the names in a JSON pointer, without the escapes of RFC 6901. */
function redactPointer(pointer: string, redact: GateEnv['redact']): string {
  const names = pointer.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.map((name) => redact(name).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}

/** What every question to the gate shares. */
export function commonInput(
  state: RunState,
  { now }: Pick<DecideEnv, 'now'>,
  { policy, approvals, actor, tools, holdsSecret, notBefore }: GateEnv,
): Omit<GateInput, 'submitted' | 'gated' | 'evidence'> {
  return {
    actor,
    policy,
    past: [...state.gate.proposals.values()].map(({ proposalId, hash, step, rollback, used }) => ({
      proposalId: proposalId ?? '',
      hash,
      step,
      rollback,
      used,
    })),
    approvals,
    now: Math.max(now, notBefore),
    tools,
    holdsSecret,
  };
}

/** `place`: where it is done. */
export function gatedStep(
  state: RunState,
  { demand, block, step }: GatedStation,
  { surroundings }: Pick<GateEnv, 'surroundings'>,
  place: RunPlace | null = state.place,
): GatedStep {
  const { title, slug, steps } = state.content;
  const label = steps[step - 1]?.label ?? '';
  const secrets = [...state.secrets].map(
    ([name, digest]) => [name, digest === null ? null : { secret: digest }] as const,
  );
  const variables = { ...state.values, ...Object.fromEntries(secrets) };
  const folder = demand.type === 'shell' && place !== null ? demand.shell.workdir : undefined;
  const directory = folder === undefined ? undefined : surroundings.linkedFolder(place!, folder);
  const server = demand.type === 'mcp' ? demand.mcp.server : undefined;
  return {
    runId: state.runId,
    step,
    chainDigest: state.digest,
    names: { title, slug, step: label, steps: steps.length },
    template: block.proposal ?? {},
    demand,
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...(place === null ? {} : { place: { host: place.host, workdir: place.workdir } }),
    ...(directory === undefined ? {} : { directory }),
    ...(server === undefined ? {} : { server: surroundings.servers.get(server) ?? null }),
  };
}

/** A gated step with what its command gets and starts. */
export function inSurroundings(gated: GatedStep, { surroundings }: Pick<GateEnv, 'surroundings'>): GatedStep {
  const { demand, place } = gated;
  if (demand.type !== 'shell' || place == null || place.workdir === null) return gated;
  const found = surroundings.ofCommand(demand.shell, place.workdir);
  return found === undefined ? gated : { ...gated, surroundings: found };
}

/** Accepted proofs of steps, without the closing comment and waived ones. */
function evidenceOf({ proofs, stations }: RunState): EvidenceProof[] {
  return proofs
    .filter(({ station }) => stations[station]?.kind === 'proof')
    .map(({ hash, step, type, assurance, at, stored, place }) => ({
      hash,
      step,
      type,
      assurance,
      at: Date.parse(at),
      packet: packetOf(type, stored),
      ...(place === null || type !== 'shell' ? {} : { place: { host: place.host, workdir: place.workdir } }),
    }));
}

/** Whether the gate's answer to a proposal is the one on record. */
export function isDecided(
  known: Pick<DecidedProposal, 'decision' | 'approvals' | 'surroundings' | 'server'> | null | undefined,
  { decision, approvals, surroundings, server }: GateAnswer,
): boolean {
  return (
    known?.decision === decision &&
    known.approvals.given === approvals.given &&
    known.server === server &&
    canonical(known.surroundings) === canonical(surroundings ?? null)
  );
}

/** Puts a decision on record, the proposal with it. */
export function writeDecision(
  draft: DecisionBuilder,
  station: Pick<Station, 'step'>,
  submitted: unknown,
  answer: GateAnswer,
  gate: GateEnv,
  rollback = false,
): void {
  const value = answer.proposal_hash === null ? null : readProposal(submitted, gate.policy).value;
  const data: ProposalDecidedData = {
    step: station.step,
    station: draft.state.at,
    uri: stepUri(draft.state.chainId, station.step),
    proposal_id: answer.proposal_id === null ? null : gate.redact(answer.proposal_id),
    proposal_hash: answer.proposal_hash,
    // A secret is never recorded, not even to explain a rejection.
    proposal_json: value === null ? null : gate.redact(foreignJson(value)),
    decision: answer.decision,
    reasons: answer.reasons.map(({ code, pointer, message }): EntryData => ({ code, pointer, message })),
    approval_class: answer.approval_class,
    approvals_needed: answer.approvals.needed,
    approvals_given: answer.approvals.given,
    permit: answer.permit === null ? null : { ...answer.permit },
    ...(answer.server === undefined ? {} : { server_digest: answer.server }),
    ...(answer.surroundings === undefined ? {} : { surroundings: { ...answer.surroundings } }),
    policy_digest: gate.policy?.digest ?? null,
    actor: gate.actor,
    rollback,
  };
  draft.write('proposal.decided', data);
}

/** What was proposed, once the gate has allowed it. */
export function fieldsOf({ text }: DecidedProposal): Proposal {
  // A KernelRequest was mapped by the policy of that time; its own words carry the parameters as well.
  const { fields, raw } = readProposal(text, null);
  return {
    ...fields,
    parameters: fields.parameters ?? (raw?.parameters as Proposal['parameters']),
  } as Proposal;
}

/** The station is shown again; nothing is counted. */
export function rejectCommand(draft: DecisionBuilder, code: RunProblem['code'], message: string): Decision {
  draft.showPending();
  return draft.done({ code, message });
}
