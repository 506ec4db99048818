import type { ProofOfWork } from '../protocol/schema.ts';
import type { Filling } from './fill.ts';
import type { GatedStep, NamedChain } from './input.ts';
import { parameterName } from './permit/permit.ts';
import { strictest } from './policy/rule-for.ts';
import type { Proposal, Rollback } from './proposal.ts';

/** How long a rollback may run where neither its deadline nor the step's own timeout gives it longer, in seconds. */
const DEFAULT_TIMEOUT_SECONDS = 60;
const LONGEST_TIMEOUT_SECONDS = 86_400;

/** The permitted step to roll back. */
export interface RolledBackStep {
  /** Hash of the proposal whose permit was consumed. */
  hash: string;
  fields: Partial<Proposal>;
  /** The revision that a rollback of strategy `chain` runs. */
  chain: NamedChain | null;
}

/**
 * The rollback of a step, as a separate step before the gate: same action, same target, no lower class, with
 * values only from the template and the used proposal.
 */
export function rollbackStep(gated: GatedStep, rollback: Rollback, rolledBack: RolledBackStep): GatedStep {
  const { action_type, target, approval_class } = rolledBack.fields;
  return {
    ...gated,
    template: {
      ...(action_type === undefined ? {} : { action_type }),
      ...(target === undefined ? {} : { target }),
      rollback_semantics: rollback,
      approval_class: strictest([approval_class ?? 'none', gated.template.approval_class ?? 'none']),
      evidence_bindings: [{ evidence_id: 'undone', ref: rolledBack.hash }],
    },
    demand: rollbackDemand(rollback, gated.demand),
    rollsBack: {
      proposal_hash: rolledBack.hash,
      chain_digest: rolledBack.chain?.digest ?? null,
      ...(rolledBack.chain === null ? {} : { chain: rolledBack.chain }),
    },
  };
}

/** The proposal of a rollback. Its parameters are the permitted ones that can become variables. */
export function rollbackProposal(
  { template }: GatedStep,
  { fields }: RolledBackStep,
  { proposalId, actor, now }: Filling,
): Record<string, unknown> {
  const { action_type, target, rollback_semantics, approval_class, evidence_bindings } = template;
  return {
    proposal_id: proposalId,
    ts_ms: now,
    actor,
    ...(action_type === undefined ? {} : { action_type }),
    ...(target === undefined ? {} : { target }),
    parameters: variablesOf(fields.parameters ?? {}),
    rollback_semantics,
    approval_class,
    evidence_bindings,
  };
}

/** The command that verifies a rollback, in the directory of the step. Null when the template names none. */
export function verificationOf({ verify }: Rollback, demand: GatedStep['demand']): ShellDefinition | null {
  return verify === undefined ? null : commandOf(verify, DEFAULT_TIMEOUT_SECONDS, demand);
}

function rollbackDemand(
  { strategy, command, deadline_ms }: Rollback,
  demand: GatedStep['demand'],
): ProofOfWork {
  if (strategy !== 'command' || command === undefined)
    return { type: 'comment', comment: { min_length: 10 }, required: true };
  const own = demand.type === 'shell' ? demand.shell.timeout_seconds : DEFAULT_TIMEOUT_SECONDS;
  const seconds = Math.max(own, Math.ceil((deadline_ms ?? 0) / 1000));
  return {
    type: 'shell',
    shell: commandOf(command, Math.min(seconds, LONGEST_TIMEOUT_SECONDS), demand),
    required: true,
  };
}

/** In the directory of the step, with the environment names that it lists. */
function commandOf(cmd: string, timeout_seconds: number, demand: GatedStep['demand']): ShellDefinition {
  const { workdir, env } = demand.type === 'shell' ? demand.shell : ({} as Partial<ShellDefinition>);
  return {
    cmd,
    timeout_seconds,
    expect_exit_code: 0,
    ...(workdir === undefined ? {} : { workdir }),
    ...(env === undefined ? {} : { env }),
  };
}

type ShellDefinition = Extract<ProofOfWork, { type: 'shell' }>['shell'];

/** Arguments of a tool may have keys that make no variable; the rollback of its step does without them. */
function variablesOf(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const taken = new Set<string>();
  return Object.fromEntries(
    Object.entries(parameters).filter(([key]) => {
      const name = parameterName(key);
      if (name === null || taken.has(name)) return false;
      taken.add(name);
      return true;
    }),
  );
}
