import { KairosError } from '../base/errors.ts';
import { bindingNow, countApprovals } from './approval/count.ts';
import { effectiveClass } from './effective.ts';
import type { Case, CommandSurroundings, GateInput, GateRule } from './input.ts';
import { makePermit, type Permit } from './permit/permit.ts';
import { type ApprovalClass, type Proposal, proposalHash } from './proposal.ts';
import { partsOf, readProposal } from './reading.ts';
import {
  affectedRecords,
  constraintHolds,
  constraintKnown,
  effectsDisjoint,
  effectsEnclosed,
  fieldsAllowed,
  reversible,
} from './rules/effects.ts';
import { evidence, preconditionHolds } from './rules/evidence.ts';
import {
  actorIdentity,
  FIELD_RULES,
  namesPlain,
  optionalField,
  proposalReused,
  secretFree,
  toolOfStep,
  unknownField,
} from './rules/identity.ts';
import {
  actorPermitted,
  approvalsPossible,
  covered,
  customNeedsPolicy,
  effectsPermitted,
  somethingSpeaksForIt,
  timePermitted,
} from './rules/policy.ts';
import {
  classLowered,
  effectsWidened,
  parametersCarried,
  parametersSchema,
  preconditionsKept,
  resourceCarried,
  rollbackFixed,
  templateEqual,
} from './rules/template.ts';
import { durationEnforceable, fromTheFuture, windowLength, windowOpen, windowOrder } from './rules/time.ts';
import { bounded, byCode, byPointer, type Violation, violations } from './violation.ts';

export type GateDecision = 'ALLOW' | 'DENY' | 'HOLD' | 'HALT';

/** The gate's answer to a proposal. */
export interface GateAnswer {
  decision: GateDecision;
  /** Every reason against it, in the fixed order of the rules; empty unless denied or halted. */
  reasons: Violation[];
  /** Names what was judged; null when it could not be read. */
  proposal_hash: string | null;
  proposal_id: string | null;
  approval_class: ApprovalClass;
  approvals: { needed: number; given: number };
  /** What a permit would bind, which approvals are about; null while that is unknown. */
  binding: string | null;
  /** What the command was judged with: for the record, because an approver elsewhere has others. Absent: with none. */
  surroundings?: CommandSurroundings;
  /** Digest of the definition of the MCP server that it was judged with; null: it is missing here. Absent: the step names no server. */
  server?: string | null;
  /** Only with ALLOW. */
  permit: Permit | null;
}

const denied = violations('K-PROP-140');
const fault = violations('K-PROP-199');

/**
 * Judges a proposal. Pure, total and deterministic: the same input gives the same result, byte for byte.
 * ALLOW requires that no rule is violated, that evidence or the policy supports it, and that enough people
 * have approved. A fault of the gate is HALT, which permits nothing.
 */
export function decideProposal(input: GateInput): GateAnswer {
  try {
    return judge(input);
  } catch (error) {
    const reason = error instanceof KairosError ? `${error.message} ` : '';
    return {
      ...NOTHING,
      decision: 'HALT',
      reasons: [fault('', `${reason}The gate could not judge this; nothing is permitted.`)],
    };
  }
}

const NOTHING = {
  proposal_hash: null,
  proposal_id: null,
  approval_class: 'none',
  approvals: { needed: 0, given: 0 },
  binding: null,
  permit: null,
} satisfies Omit<GateAnswer, 'decision' | 'reasons'>;

/** What the rules judge: the submission, read. `reading.value` is null when it couldn't be read at all. */
export function readCase(input: GateInput): Case {
  const reading = readProposal(input.submitted, input.policy, input.gated.template);
  return { ...input, reading, fields: reading.fields, parts: partsOf(reading) };
}

function judge(input: GateInput): GateAnswer {
  const item = readCase(input);
  const { reading } = item;
  if (reading.value === null)
    return { ...NOTHING, decision: 'DENY', reasons: bounded(byCode(reading.violations)) };
  const hash = proposalHash(reading.value);
  const count = countApprovals(item, hash);
  const reasons = bounded([
    ...byCode(reading.violations),
    ...GATE_RULES.flatMap((rule) => byPointer(rule.check(item))),
    ...(count.deniedBy.length > 0 ? [denied('', denialText(count))] : []),
  ]);
  const common = {
    proposal_hash: hash,
    proposal_id: reading.fields.proposal_id ?? null,
    approval_class: effectiveClass(item),
    approvals: { needed: Math.min(count.needed, MANY), given: count.given },
    binding: bindingNow(item),
    ...(input.gated.surroundings === undefined ? {} : { surroundings: input.gated.surroundings }),
    ...(input.gated.server === undefined ? {} : { server: input.gated.server?.digest ?? null }),
  };
  if (reasons.length > 0) return { decision: 'DENY', reasons, ...common, permit: null };
  if (count.given < count.needed) return { decision: 'HOLD', reasons, ...common, permit: null };
  // Without a violation every required field is there.
  const proposal = reading.fields as Proposal;
  return {
    decision: 'ALLOW',
    reasons,
    ...common,
    permit: makePermit(input.gated, proposal, hash, input.now),
  };
}

/** The reason is a person's own words, so it is quoted. */
function denialText({ deniedBy, denialReason }: ReturnType<typeof countApprovals>): string {
  const reason = denialReason === null ? '.' : `: ${JSON.stringify(denialReason)}`;
  return `It was denied by ${deniedBy.join(', ')}${reason}`;
}

/** Stands for a number of approvals that no rule names. */
const MANY = 999;

/** Every rule, in the order in which violations are reported. Reading (K-PROP-100 to 105, 108) comes before them. */
export const GATE_RULES: readonly GateRule[] = [
  unknownField,
  optionalField,
  actorIdentity,
  ...FIELD_RULES,
  windowOpen,
  windowOrder,
  affectedRecords,
  evidence,
  approvalsPossible,
  proposalReused,
  fromTheFuture,
  templateEqual,
  effectsWidened,
  preconditionsKept,
  rollbackFixed,
  classLowered,
  parametersSchema,
  parametersCarried,
  resourceCarried,
  toolOfStep,
  secretFree,
  preconditionHolds,
  constraintKnown,
  fieldsAllowed,
  constraintHolds,
  effectsDisjoint,
  effectsEnclosed,
  reversible,
  durationEnforceable,
  windowLength,
  namesPlain,
  customNeedsPolicy,
  covered,
  actorPermitted,
  effectsPermitted,
  timePermitted,
  somethingSpeaksForIt,
];
