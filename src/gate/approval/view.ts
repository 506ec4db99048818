import { coveringRules, effectiveClass, effectsOf, quorumOf, rollbackOf } from '../effective.ts';
import type { Case, GatedStep } from '../input.ts';
import { parameterEnvironment, resolveDemand } from '../permit/permit.ts';
import { asksText } from '../policy/rule-for.ts';
import type { ApprovalClass, ProposalTarget, Rollback } from '../proposal.ts';
import { evidenceFacts, holds, lookUp, resolveEvidence } from '../rules/evidence.ts';
import { countApprovals, eligibleApprovers } from './count.ts';

/** What will be done, as the permit will let it be done. */
export type ApprovedAction =
  | {
      kind: 'command';
      command: string;
      timeout_seconds: number;
      workdir: string | null;
      environment: string[];
    }
  | { kind: 'tool'; tool: string; server: string | null; arguments: unknown }
  | { kind: 'person'; text: string };

/** A precondition with the value of its evidence. */
export interface ShownEvidence {
  ref: string;
  step: number | null;
  field: string;
  operator: string;
  value: unknown;
  actual: unknown;
  assurance: string | null;
  /** RFC 3339 UTC. */
  at: string | null;
  holds: boolean;
}

/**
 * What a proposal is about, what supports it and what it still needs: the gate's part of the approver's
 * screen.
 */
export interface ProposalFacts {
  action: ApprovedAction;
  /** Values of the variables that parameters become. */
  variables: Record<string, string>;
  action_type: string;
  target: Partial<ProposalTarget>;
  parameters: Record<string, unknown>;
  effects: string[];
  risk: { forbidden_effects: string[]; max_affected_records: number | null; reversible_required: boolean };
  rollback: Rollback | null;
  evidence: ShownEvidence[];
  proposed_by: string;
  /** RFC 3339 UTC; null without a window. */
  window: { from: string; until: string } | null;
  approval_class: ApprovalClass;
  /** What each rule that covers it asks for. */
  rules: { name: string; asks: string }[];
  needed: number;
  given: number;
  /** In the order in which they were given; `until` RFC 3339 UTC. */
  approved_by: { name: string; source: string; until: string }[];
  denied_by: { name: string; reason: string | null }[];
  /** Who could still approve it. */
  could_approve: string[];
}

/** Gathers what an approver has to see. `item` is a case that the gate has judged. */
export function proposalFacts(item: Case, proposalHash: string): ProposalFacts {
  const { fields, guarded, parts } = item;
  const parameters = fields.parameters ?? {};
  const count = countApprovals(item, proposalHash);
  const statements = item.approvals.filter(({ statement }) => statement.proposal_hash === proposalHash);
  const of = (name: string, decision: string) =>
    statements.find(({ statement }) => statement.approver === name && statement.decision === decision)!;
  const { time_window: window } = fields;
  return {
    action: shownAction(resolveDemand(guarded.demand, fields)),
    variables: guarded.demand.type === 'shell' ? parameterEnvironment(parameters) : {},
    action_type: fields.action_type ?? '',
    target: fields.target ?? parts.target,
    parameters,
    effects: [...effectsOf(item)],
    risk: {
      forbidden_effects: parts.risk_envelope.forbidden_effects ?? [],
      max_affected_records: parts.risk_envelope.max_affected_records ?? null,
      reversible_required: parts.risk_envelope.reversible_required ?? false,
    },
    rollback: rollbackOf(item) ?? null,
    evidence: evidenceOf(item),
    proposed_by: fields.actor ?? item.actor,
    window:
      window === undefined
        ? null
        : { from: instant(window.valid_from_ms), until: instant(window.valid_until_ms) },
    approval_class: effectiveClass(item),
    rules: coveringRules(item).map((rule) => ({ name: rule.name, asks: asksText(rule) })),
    needed: quorumOf(item)?.needed ?? 0,
    given: count.given,
    approved_by: count.by.map((name) => {
      const { source, statement } = of(name, 'approve');
      return { name, source, until: instant(statement.expires_at_ms) };
    }),
    denied_by: count.deniedBy.map((name) => ({ name, reason: of(name, 'deny').statement.reason ?? null })),
    could_approve: eligibleApprovers(item).filter((name) => !count.by.includes(name)),
  };
}

/** What a resolved demand is to the eye. */
export function shownAction(demand: GatedStep['demand']): ApprovedAction {
  switch (demand.type) {
    case 'shell': {
      const { cmd, timeout_seconds, workdir = null, env = [] } = demand.shell;
      return { kind: 'command', command: cmd, timeout_seconds, workdir, environment: env };
    }
    case 'mcp': {
      const { tool_name: tool, server = null, arguments: args = {} } = demand.mcp;
      return { kind: 'tool', tool, server, arguments: args };
    }
    case 'user_input':
      return { kind: 'person', text: demand.user_input.prompt };
    default:
      return { kind: 'person', text: 'The step is done by hand, and its account is the proof.' };
  }
}

function evidenceOf(item: Case): ShownEvidence[] {
  const facts = evidenceFacts(item);
  return item.parts.preconditions.map(({ precondition: { field, operator, value, evidence_ref: ref } }) => {
    const resolution = resolveEvidence(ref, facts);
    const proof = resolution.ok ? resolution.proof : null;
    const actual = proof === null ? null : lookUp(proof.packet, field);
    const found = actual?.found === true ? actual.value : null;
    return {
      ref,
      step: proof?.step ?? null,
      field,
      operator,
      value,
      actual: found,
      assurance: proof?.assurance ?? null,
      at: proof === null ? null : instant(proof.at),
      holds: actual?.found === true && holds(operator, found, value, item.tools.patterns),
    };
  });
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
