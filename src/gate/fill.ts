import type { Demand } from '../proof/demand.ts';
import type { ProposalTemplate } from '../protocol/schema.ts';
import { DEFAULT_WINDOW_MS } from './permit/permit.ts';

/** How long a window is proposed to be where people have to be asked first, in milliseconds. */
const APPROVAL_WINDOW_MS = 60 * 60_000;

/** What the filling of a template needs from outside. */
export interface Filling {
  proposalId: string;
  actor: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * The template as a proposal, filled in as far as possible. Only the agent or user knows the missing values.
 * Submitted unchanged, it satisfies every rule about the template.
 */
export function fillTemplate(
  template: ProposalTemplate,
  demand: Demand,
  { proposalId, actor, now }: Filling,
): Record<string, unknown> {
  const { action_type, target } = template;
  return {
    proposal_id: proposalId,
    ts_ms: now,
    actor,
    ...(action_type === undefined ? {} : { action_type }),
    target: { ...target, constraints: target?.constraints ?? {} },
    parameters: (demand.type === 'mcp' ? demand.mcp.arguments : undefined) ?? {},
    ...conditionsOf(template, now),
  };
}

/**
 * What the template sets besides the action and its target: preconditions, the envelope, a window from `now`
 * on, the class. A draft includes them. A KernelRequest has no fields for them, so they are added.
 */
export function conditionsOf(template: ProposalTemplate, now: number): Record<string, unknown> {
  const { preconditions, approval_class } = template;
  return {
    ...(preconditions === undefined ? {} : { preconditions }),
    ...envelopeOf(template),
    ...windowOf(template, now),
    ...(approval_class === undefined ? {} : { approval_class }),
  };
}

function envelopeOf({ risk_envelope: envelope, effects = [] }: ProposalTemplate): object {
  if (envelope === undefined && effects.length === 0) return {};
  return {
    risk_envelope: {
      allowed_side_effects: envelope?.allowed_side_effects ?? effects,
      forbidden_effects: envelope?.forbidden_effects ?? [],
      max_affected_records: envelope?.max_affected_records ?? 1,
      reversible_required: envelope?.reversible_required ?? false,
    },
  };
}

function windowOf({ time_window: window, approval_class }: ProposalTemplate, now: number): object {
  if (window?.max_duration_ms === undefined) return {};
  const length = (approval_class ?? 'none') === 'none' ? DEFAULT_WINDOW_MS : APPROVAL_WINDOW_MS;
  return {
    time_window: {
      valid_from_ms: now,
      valid_until_ms: now + length,
      max_duration_ms: window.max_duration_ms,
    },
  };
}
